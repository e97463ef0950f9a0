import assert from 'node:assert/strict';
import { join } from 'node:path';

import {
  encodeRegistryAuth,
  findCredentials,
  type StoredCredentials,
} from '../../../src/engine/credentials.ts';

const SECRET = 'pa:ss~?>wörd';
const PAIR = Buffer.from(`alice:${SECRET}`).toString('base64');

/** Looks `registry` up in a config.json with this text. */
function find(registry: string, text: string): Promise<StoredCredentials> {
  return findCredentials(registry, {
    env: {},
    home: '/home/me',
    readFile: () => Promise.resolve(text),
  });
}

function auths(entries: Record<string, unknown>): string {
  return JSON.stringify({ auths: entries });
}

describe('engine/credentials: findCredentials', () => {
  it('reads ~/.docker/config.json, or the one in DOCKER_CONFIG', async () => {
    const asked: string[] = [];
    const readFile = (path: string): Promise<string> => {
      asked.push(path);
      return Promise.resolve('{}');
    };
    await findCredentials('r', { env: {}, home: '/home/me', readFile });
    await findCredentials('r', { env: { DOCKER_CONFIG: '' }, home: '/home/me', readFile });
    await findCredentials('r', { env: { DOCKER_CONFIG: '/etc/d' }, home: '/home/me', readFile });
    const home = join('/home/me', '.docker', 'config.json');
    assert.deepEqual(asked, [home, home, join('/etc/d', 'config.json')]);
  });

  it('splits name and password at the first colon', async () => {
    assert.deepEqual(await find('quay.io', auths({ 'quay.io': { auth: PAIR } })), {
      auth: { username: 'alice', password: SECRET, serveraddress: 'quay.io' },
    });
  });

  it('gives a registry its own entry and no other', async () => {
    const text = auths({
      'quay.io': { auth: PAIR },
      'quay.io:5000': { auth: PAIR },
      'sub.r.io': { auth: PAIR },
      'https://index.docker.io/v1/': { auth: PAIR },
    });
    for (const registry of ['r.io', 'quay.io:443', 'io', 'ghcr.io']) {
      assert.deepEqual(await find(registry, text), {
        reason: 'noEntry',
        file: join('/home/me', '.docker', 'config.json'),
      });
    }
  });

  it('knows Docker Hub by its old key', async () => {
    const key = 'https://index.docker.io/v1/';
    const found = await find('docker.io', auths({ 'docker.io': {}, [key]: { auth: PAIR } }));
    assert.equal(found.auth?.serveraddress, key);
    assert.equal(
      (await find('docker.io', auths({ 'docker.io': { auth: PAIR } }))).auth?.username,
      'alice',
    );
    const tokens = { 'https://index.docker.io/v1/access-token': { auth: PAIR } };
    assert.equal((await find('docker.io', auths(tokens))).auth, undefined);
  });

  it('knows older keys with a scheme or a path, the exact one first', async () => {
    for (const key of ['https://r.io', 'http://r.io/', 'https://r.io/v1/', 'r.io/v2/']) {
      assert.equal((await find('r.io', auths({ [key]: { auth: PAIR } }))).auth?.username, 'alice');
    }
    const both = auths({ 'https://r.io/v1/': {}, 'r.io': { auth: PAIR } });
    assert.equal((await find('r.io', both)).auth?.serveraddress, 'r.io');
  });

  it('takes a token instead of name and password', async () => {
    const entry = { auth: PAIR, identitytoken: 'token' };
    assert.deepEqual(await find('r.io', auths({ 'r.io': entry })), {
      auth: { identitytoken: 'token', serveraddress: 'r.io' },
    });
    assert.deepEqual((await find('r.io', auths({ 'r.io': { registrytoken: 't' } }))).auth, {
      registrytoken: 't',
      serveraddress: 'r.io',
    });
  });

  it('takes name and password that stand there by themselves, and drops zero bytes', async () => {
    const plain = { username: 'a', password: 'b' };
    assert.equal((await find('r.io', auths({ 'r.io': plain }))).auth?.password, 'b');
    const padded = Buffer.from('a:b\0\0').toString('base64');
    assert.equal((await find('r.io', auths({ 'r.io': { auth: padded } }))).auth?.password, 'b');
  });

  const none: [what: string, text: string, reason: string][] = [
    ['an empty file', '', 'damaged'],
    ['half a file', '{"auths":{"r.io":{"auth":"', 'damaged'],
    ['no object', '[1]', 'noEntry'],
    ['no auths', '{}', 'noEntry'],
    ['auths that are none', '{"auths":[]}', 'noEntry'],
    ['an empty entry', auths({ 'r.io': {} }), 'inHelper'],
    ['an entry that is null', auths({ 'r.io': null }), 'inHelper'],
    ['an entry of other things', auths({ 'r.io': { email: 'x' } }), 'damaged'],
    ['no Base64', auths({ 'r.io': { auth: '%%%' } }), 'damaged'],
    [
      'Base64 with something in it',
      auths({ 'r.io': { auth: `${PAIR.slice(0, 4)}!${PAIR.slice(4)}` } }),
      'damaged',
    ],
    ['no colon', auths({ 'r.io': { auth: Buffer.from('alice').toString('base64') } }), 'damaged'],
    ['no name', auths({ 'r.io': { auth: Buffer.from(':x').toString('base64') } }), 'damaged'],
  ];
  for (const [what, text, reason] of none) {
    it(`gives none for ${what}: ${reason}`, async () => {
      const found = await find('r.io', text);
      assert.equal(found.auth, undefined);
      assert.equal(found.reason, reason);
    });
  }

  it('gives none where there is no file', async () => {
    const found = await findCredentials('r.io', {
      env: {},
      home: '/h',
      readFile: () => Promise.reject(new Error('ENOENT')),
    });
    assert.ok(!found.auth);
    assert.equal(found.reason, 'noFile');
  });

  it('tells no secret in a reason', async () => {
    const broken = auths({ 'r.io': { auth: `${PAIR}!`, password: SECRET } });
    assert.ok(!JSON.stringify(await find('r.io', broken)).includes(PAIR));
    assert.ok(!JSON.stringify(await find('r.io', `${broken}}`)).includes('pa:ss'));
  });
});

describe('engine/credentials: encodeRegistryAuth', () => {
  it('is padded URL-safe Base64 of the JSON', () => {
    for (const password of ['', 'a', 'aa', 'aaa', SECRET, 'ÿþ~~~???>>>']) {
      const auth = { username: 'alice', password, serveraddress: 'r.io' };
      const encoded = encodeRegistryAuth(auth);
      assert.match(encoded, /^[A-Za-z0-9_-]+={0,2}$/);
      assert.equal(encoded.length % 4, 0);
      assert.deepEqual(JSON.parse(Buffer.from(encoded, 'base64url').toString()), auth);
    }
  });

  it('uses the two URL-safe characters', () => {
    const all = ['~~~', '???', '>>>', 'ÿÿÿ']
      .map((password) => encodeRegistryAuth({ password }))
      .join('');
    assert.match(all, /-/);
    assert.match(all, /_/);
  });

  it('leaves out whatever is no part of it', () => {
    const auth = { username: 'a', password: 'b', email: 'x' };
    const decoded = Buffer.from(encodeRegistryAuth(auth), 'base64url').toString();
    assert.equal(decoded, '{"username":"a","password":"b"}');
  });
});
