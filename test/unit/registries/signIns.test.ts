import assert from 'node:assert/strict';

import type { RegistryAuth } from '../../../src/engine/wire/registryAuth.ts';
import { reveal, Secret } from '../../../src/base/secret.ts';
import { SignIns, type SecretStore } from '../../../src/registries/signIns.ts';

class Memory implements SecretStore {
  readonly values = new Map<string, string>();
  /** Whether reads fail. */
  isLocked = false;

  get(key: string): Promise<string | undefined> {
    if (this.isLocked) return Promise.reject(new Error('the keyring is locked'));
    return Promise.resolve(this.values.get(key));
  }

  store(key: string, value: string): Promise<void> {
    this.values.set(key, value);
    return Promise.resolve();
  }

  delete(key: string): Promise<void> {
    this.values.delete(key);
    return Promise.resolve();
  }

  keys(): Promise<readonly string[]> {
    if (this.isLocked) return Promise.reject(new Error('the keyring is locked'));
    return Promise.resolve([...this.values.keys()]);
  }
}

const alice = { username: 'alice', secret: new Secret('pa:ss'), isToken: false };

function secretOf(auth: RegistryAuth | undefined): string | undefined {
  const secret = auth?.password ?? auth?.identitytoken;
  return secret === undefined ? undefined : reveal(secret);
}

describe('registries: stored sign-ins', () => {
  it('are found only for their registry', async () => {
    const signIns = new SignIns(new Memory());
    await signIns.keep('r.io', alice);
    await signIns.keep('docker.io', { ...alice, secret: new Secret('token'), isToken: true });
    const found = await signIns.find('r.io');
    assert.equal(found?.username, 'alice');
    assert.equal(found.serveraddress, 'r.io');
    assert.equal(secretOf(found), 'pa:ss');
    const hub = await signIns.find('docker.io');
    assert.equal(hub?.serveraddress, 'https://index.docker.io/v1/');
    assert.equal(reveal(hub.identitytoken ?? ''), 'token');
    assert.equal(hub.password, undefined);
    for (const other of ['r.io:443', '__proto__', 'constructor', '', 'index.docker.io']) {
      assert.equal(await signIns.find(other), undefined);
    }
  });

  it('persist, because they are kept only in secret storage', async () => {
    const memory = new Memory();
    await new SignIns(memory).keep('__proto__', alice);
    await new SignIns(memory).keep('r.io', alice);
    const later = new SignIns(memory);
    assert.equal(secretOf(await later.find('r.io')), 'pa:ss');
    assert.equal(secretOf(await later.find('__proto__')), 'pa:ss');
  });

  it('are listed without secrets', async () => {
    const signIns = new SignIns(new Memory());
    await signIns.keep('r.io', alice);
    await signIns.recordHelper('q.io', 'bob', 'pass');
    assert.deepEqual(await signIns.all(), [
      { registry: 'q.io', username: 'bob', helper: 'pass' },
      { registry: 'r.io', username: 'alice' },
    ]);
  });

  it('are replaced by newer ones, and deleted', async () => {
    const memory = new Memory();
    const signIns = new SignIns(memory);
    await signIns.keep('r.io', alice);
    await signIns.recordHelper('r.io', 'alice', 'pass');
    assert.equal(await signIns.find('r.io'), undefined);
    assert.ok(![...memory.values.values()].join().includes('pa:ss'));
    await signIns.keep('r.io', alice);
    await signIns.forget('r.io');
    await signIns.forget('r.io');
    assert.deepEqual(await signIns.all(), []);
    assert.ok(![...memory.values.values()].join().includes('pa:ss'));
  });

  it('are all kept if stored at the same time', async () => {
    const signIns = new SignIns(new Memory());
    const registries = Array.from({ length: 20 }, (_, index) => `r${index}.io`);
    await Promise.all(registries.map((registry) => signIns.keep(registry, alice)));
    assert.equal((await signIns.all()).length, 20);
  });

  it('are both kept if stored in two windows at the same time', async () => {
    const memory = new Memory();
    const one = new SignIns(memory);
    const other = new SignIns(memory);
    await Promise.all([one.keep('r.io', alice), other.keep('q.io', alice)]);
    assert.deepEqual(
      (await one.all()).map(({ registry }) => registry),
      ['q.io', 'r.io'],
    );
    assert.equal(secretOf(await one.find('q.io')), 'pa:ss');
    await Promise.all([one.forget('r.io'), other.keep('p.io', alice)]);
    assert.equal(await other.find('r.io'), undefined);
    assert.equal(secretOf(await one.find('p.io')), 'pa:ss');
  });

  it('of an older version are found, listed, moved, and deleted', async () => {
    const memory = new Memory();
    const old = [
      ['r.io', { username: 'alice', password: 'pa:ss' }],
      ['q.io', { username: 'bob', helper: 'pass' }],
    ];
    memory.values.set('gantry.registries', JSON.stringify(old));
    const signIns = new SignIns(memory);
    assert.equal(secretOf(await signIns.find('r.io')), 'pa:ss');
    assert.equal((await signIns.all()).length, 2);
    await signIns.forget('q.io');
    assert.ok(!memory.values.has('gantry.registries'));
    assert.equal(secretOf(await signIns.find('r.io')), 'pa:ss');
    assert.deepEqual(await signIns.all(), [{ registry: 'r.io', username: 'alice' }]);
  });

  it('are not overwritten if the storage temporarily cannot be read', async () => {
    const memory = new Memory();
    const signIns = new SignIns(memory);
    await signIns.keep('r.io', alice);
    memory.isLocked = true;
    const locked = { name: 'StorageError', message: '', isDamaged: false };
    await assert.rejects(signIns.keep('q.io', alice), locked);
    await assert.rejects(signIns.forget('q.io'), locked);
    await assert.rejects(signIns.all(), locked);
    memory.isLocked = false;
    assert.equal(secretOf(await signIns.find('r.io')), 'pa:ss');
  });

  for (const damaged of ['', '{', '{}', 'null', '"pa:ss"', '[["r.io"]]', '[1,["r.io",[]]]']) {
    it(`are empty if the storage contains ${damaged || 'an empty text'}, and can be stored again`, async () => {
      const memory = new Memory();
      memory.values.set('gantry.registries', damaged);
      const signIns = new SignIns(memory);
      const found = await signIns.find('r.io').catch((error: unknown) => String(error));
      assert.ok(found === undefined || found === 'StorageError');
      await signIns.keep('r.io', alice);
      assert.equal(secretOf(await signIns.find('r.io')), 'pa:ss');
    });
  }
});
