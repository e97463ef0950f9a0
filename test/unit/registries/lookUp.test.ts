import assert from 'node:assert/strict';

import type { RegistryAuth } from '../../../src/engine/credentials.ts';
import type { Secret } from '../../../src/engine/secret.ts';
import { reveal } from '../../../src/engine/secret.ts';
import type { HelperAnswer } from '../../../src/registries/helper.ts';
import { findCredentials } from '../../../src/registries/lookUp.ts';
import type { RegistryPlace } from '../../../src/registries/place.ts';
import type { FoundCredentials } from '../../../src/registries/source.ts';
import { machineWith } from '../engine/finding/fakeFiles.ts';

const SECRET = 'pa:ss~?>wörd';
const PAIR = pair('alice', SECRET);
const DOCKER = '/home/me/.docker/config.json';
const HUB = 'https://index.docker.io/v1/';

function pair(name: string, password: string): string {
  return Buffer.from(`${name}:${password}`).toString('base64');
}

interface World {
  readonly files?: Readonly<Record<string, string | symbol>>;
  readonly env?: Readonly<Record<string, string>>;
  /** By `name key`. */
  readonly helpers?: Readonly<Record<string, HelperAnswer>>;
  readonly signIns?: Readonly<Record<string, RegistryAuth>>;
}

/** Looks up, and says which helpers were asked. */
async function find(
  place: string | RegistryPlace,
  { files = {}, env = {}, helpers = {}, signIns = {} }: World,
): Promise<FoundCredentials & { readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const found = await findCredentials(typeof place === 'string' ? { registry: place } : place, {
    machine: machineWith(files, env),
    helpers: {
      get: (name, key) => {
        asked.push(`${name} ${key}`);
        return Promise.resolve(helpers[`${name} ${key}`] ?? { kind: 'notFound' });
      },
    },
    signIn: (registry) =>
      Promise.resolve(Object.hasOwn(signIns, registry) ? signIns[registry] : undefined),
  });
  return { ...found, asked };
}

function inDocker(registry: string, text: string): ReturnType<typeof find> {
  return find(registry, { files: { [DOCKER]: text } });
}

function auths(entries: Record<string, unknown>): string {
  return JSON.stringify({ auths: entries });
}

/** The credentials without their wrapping. */
function plain(auth: RegistryAuth | undefined): object | undefined {
  if (!auth) return undefined;
  return Object.fromEntries(
    Object.entries(auth).map(([key, value]: [string, string | Secret]) => [key, reveal(value)]),
  );
}

describe('registries: the file of Docker', () => {
  it('is in the home folder, or in DOCKER_CONFIG', async () => {
    const text = auths({ 'r.io': { auth: PAIR } });
    const files = { [DOCKER]: text, '/etc/d/config.json': auths({}) };
    assert.deepEqual((await find('r.io', { files })).source, { kind: 'file', file: DOCKER });
    assert.equal((await find('r.io', { files, env: { DOCKER_CONFIG: '' } })).source.kind, 'file');
    const elsewhere = await find('r.io', { files, env: { DOCKER_CONFIG: '/etc/d' } });
    assert.equal(elsewhere.auth, undefined);
  });

  it('has name and password, parted at the first colon', async () => {
    const { auth } = await inDocker('quay.io', auths({ 'quay.io': { auth: PAIR } }));
    const expected = { username: 'alice', password: SECRET, serveraddress: 'quay.io' };
    assert.deepEqual(plain(auth), expected);
  });

  it('gives a registry its own entry and no other', async () => {
    const text = auths({
      'quay.io': { auth: PAIR },
      'quay.io:5000': { auth: PAIR },
      'sub.r.io': { auth: PAIR },
      [HUB]: { auth: PAIR },
    });
    for (const registry of ['r.io', 'quay.io:443', 'io', 'ghcr.io', '__proto__', 'constructor']) {
      const found = await inDocker(registry, text);
      assert.deepEqual(found, { source: { kind: 'none' }, troubles: [], asked: [] });
    }
  });

  it('knows Docker Hub by its old key', async () => {
    const both = await inDocker('docker.io', auths({ 'docker.io': {}, [HUB]: { auth: PAIR } }));
    assert.equal(both.auth?.serveraddress, HUB);
    const byName = await inDocker('docker.io', auths({ 'docker.io': { auth: PAIR } }));
    assert.equal(byName.auth?.serveraddress, HUB);
    assert.equal(byName.auth.username, 'alice');
    const tokens = await inDocker('docker.io', auths({ [`${HUB}access-token`]: { auth: PAIR } }));
    assert.equal(tokens.auth, undefined);
  });

  it('has older keys with a scheme or a path, the exact one first', async () => {
    for (const key of ['https://r.io', 'http://r.io/', 'https://r.io/v1/', 'r.io/v2/']) {
      const { auth } = await inDocker('r.io', auths({ [key]: { auth: PAIR } }));
      assert.equal(auth?.username, 'alice');
    }
    const both = auths({ 'https://r.io/v1/': { auth: pair('old', 'x') }, 'r.io': { auth: PAIR } });
    assert.equal((await inDocker('r.io', both)).auth?.username, 'alice');
  });

  it('may have a token instead of name and password', async () => {
    const entry = { auth: PAIR, identitytoken: 'token' };
    const { auth } = await inDocker('r.io', auths({ 'r.io': entry }));
    assert.deepEqual(plain(auth), { identitytoken: 'token', serveraddress: 'r.io' });
    const other = await inDocker('r.io', auths({ 'r.io': { registrytoken: 't' } }));
    assert.deepEqual(plain(other.auth), { registrytoken: 't', serveraddress: 'r.io' });
  });

  it('may have name and password by themselves, and zero bytes after them', async () => {
    const alone = { username: 'a', password: 'b' };
    const expected = { ...alone, serveraddress: 'r.io' };
    assert.deepEqual(plain((await inDocker('r.io', auths({ 'r.io': alone }))).auth), expected);
    const padded = auths({ 'r.io': { auth: pair('a', 'b\0\0') } });
    assert.deepEqual(plain((await inDocker('r.io', padded)).auth), expected);
  });

  const none: [what: string, text: string, isTrouble: boolean][] = [
    ['an empty file', '', true],
    ['half a file', '{"auths":{"r.io":{"auth":"', true],
    ['no object', '[1]', true],
    ['no auths', '{}', false],
    ['auths that are none', '{"auths":[]}', false],
    ['an empty entry', auths({ 'r.io': {} }), false],
    ['an entry that is null', auths({ 'r.io': null }), false],
    ['an entry of other things', auths({ 'r.io': { email: 'x' } }), true],
    ['no Base64', auths({ 'r.io': { auth: '%%%' } }), true],
    ['Base64 with a stranger', auths({ 'r.io': { auth: `${PAIR.slice(0, 4)}!` } }), true],
    ['no colon', auths({ 'r.io': { auth: Buffer.from('alice').toString('base64') } }), true],
    ['no name', auths({ 'r.io': { auth: pair('', 'x') } }), true],
  ];
  for (const [what, text, isTrouble] of none) {
    it(`gives nothing for ${what}`, async () => {
      const { auth, troubles } = await inDocker('r.io', text);
      assert.equal(auth, undefined);
      assert.deepEqual(troubles, isTrouble ? [{ kind: 'damaged', where: DOCKER }] : []);
    });
  }
});
