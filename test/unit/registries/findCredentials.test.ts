import assert from 'node:assert/strict';
import { inspect } from 'node:util';

import type { RegistryAuth } from '../../../src/engine/wire/registryAuth.ts';
import { reveal, Secret } from '../../../src/base/secret.ts';
import type { HelperResult } from '../../../src/registries/credentialHelpers.ts';
import { findCredentials } from '../../../src/registries/findCredentials.ts';
import type { RegistryRef } from '../../../src/registries/registryRef.ts';
import type { FoundCredentials } from '../../../src/registries/credentialSource.ts';
import { machineWith } from '../engine/discovery/fakeFiles.ts';

const SECRET = 'pa:ss~?>wörd';
const PAIR = pair('alice', SECRET);
const DOCKER = '/home/me/.docker/config.json';
const PODMAN = '/home/me/.config/containers/auth.json';
const HUB = 'https://index.docker.io/v1/';

function pair(name: string, password: string): string {
  return Buffer.from(`${name}:${password}`).toString('base64');
}

interface World {
  readonly files?: Readonly<Record<string, string | symbol>>;
  readonly env?: Readonly<Record<string, string>>;
  /** By `name key`. */
  readonly helpers?: Readonly<Record<string, HelperResult>>;
  readonly signIns?: Readonly<Record<string, RegistryAuth>>;
}

/** Looks up credentials and returns them with the helpers that were called. */
async function find(
  ref: string | RegistryRef,
  { files = {}, env = {}, helpers = {}, signIns = {} }: World,
): Promise<FoundCredentials & { readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const found = await findCredentials(typeof ref === 'string' ? { registry: ref } : ref, {
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

/** Returns the credentials with plain secrets. */
function plain(auth: RegistryAuth | undefined): object | undefined {
  if (!auth) return undefined;
  return Object.fromEntries(
    Object.entries(auth).map(([key, value]: [string, string | Secret]) => [key, reveal(value)]),
  );
}

describe('registries: the Docker configuration file', () => {
  it('is in the home folder, or in DOCKER_CONFIG', async () => {
    const text = auths({ 'r.io': { auth: PAIR } });
    const files = { [DOCKER]: text, '/etc/d/config.json': auths({}) };
    assert.deepEqual((await find('r.io', { files })).source, { kind: 'file', file: DOCKER });
    assert.equal((await find('r.io', { files, env: { DOCKER_CONFIG: '' } })).source.kind, 'file');
    const elsewhere = await find('r.io', { files, env: { DOCKER_CONFIG: '/etc/d' } });
    assert.equal(elsewhere.auth, undefined);
  });

  it('has user name and password, split at the first colon', async () => {
    const { auth } = await inDocker('quay.io', auths({ 'quay.io': { auth: PAIR } }));
    const expected = { username: 'alice', password: SECRET, serveraddress: 'quay.io' };
    assert.deepEqual(plain(auth), expected);
  });

  it('gives a registry only its own entry', async () => {
    const text = auths({
      'quay.io': { auth: PAIR },
      'quay.io:5000': { auth: PAIR },
      'sub.r.io': { auth: PAIR },
      [HUB]: { auth: PAIR },
    });
    for (const registry of ['r.io', 'quay.io:443', 'io', 'ghcr.io', '__proto__', 'constructor']) {
      const found = await inDocker(registry, text);
      assert.deepEqual(found, { source: { kind: 'none' }, problems: [], asked: [] });
    }
  });

  it('has Docker Hub under its legacy key', async () => {
    const both = await inDocker('docker.io', auths({ 'docker.io': {}, [HUB]: { auth: PAIR } }));
    assert.equal(both.auth?.serveraddress, HUB);
    const byName = await inDocker('docker.io', auths({ 'docker.io': { auth: PAIR } }));
    assert.equal(byName.auth?.serveraddress, HUB);
    assert.equal(byName.auth.username, 'alice');
    const tokens = await inDocker('docker.io', auths({ [`${HUB}access-token`]: { auth: PAIR } }));
    assert.equal(tokens.auth, undefined);
  });

  it('may have older keys with a scheme or a path, which come after the exact key', async () => {
    for (const key of ['https://r.io', 'http://r.io/', 'https://r.io/v1/', 'r.io/v2/']) {
      const { auth } = await inDocker('r.io', auths({ [key]: { auth: PAIR } }));
      assert.equal(auth?.username, 'alice');
    }
    const both = auths({ 'https://r.io/v1/': { auth: pair('old', 'x') }, 'r.io': { auth: PAIR } });
    assert.equal((await inDocker('r.io', both)).auth?.username, 'alice');
  });

  it('may have a token instead of user name and password', async () => {
    const entry = { auth: PAIR, identitytoken: 'token' };
    const { auth } = await inDocker('r.io', auths({ 'r.io': entry }));
    assert.deepEqual(plain(auth), { identitytoken: 'token', serveraddress: 'r.io' });
    const other = await inDocker('r.io', auths({ 'r.io': { registrytoken: 't' } }));
    assert.deepEqual(plain(other.auth), { registrytoken: 't', serveraddress: 'r.io' });
  });

  it('counts if the program of its credential helper is missing, but not if the helper has none', async () => {
    const entries = { 'r.io': { auth: PAIR } };
    const configs = [{ credsStore: 'gone' }, { credHelpers: { 'r.io': 'gone' } }];
    for (const config of configs) {
      const files = { [DOCKER]: JSON.stringify({ ...config, auths: entries }) };
      const missing = await find('r.io', { files, helpers: { 'gone r.io': { kind: 'missing' } } });
      assert.deepEqual(missing.source, { kind: 'file', file: DOCKER });
      assert.deepEqual([missing.auth?.username, missing.problems], ['alice', []]);
      for (const kind of ['notFound', 'failed', 'slow'] as const) {
        const found = await find('r.io', { files, helpers: { 'gone r.io': { kind } } });
        assert.equal(found.auth, undefined);
      }
    }
    const none = { [DOCKER]: JSON.stringify({ credsStore: 'gone', auths: {} }) };
    const { problems } = await find('r.io', {
      files: none,
      helpers: { 'gone r.io': { kind: 'missing' } },
    });
    assert.deepEqual(problems, [{ kind: 'missing', helper: 'gone', file: DOCKER }]);
  });

  it('may have Base64 that is wrapped into lines', async () => {
    const wrapped = `${PAIR.slice(0, 8)}\r\n${PAIR.slice(8)}\n`;
    const { auth, problems } = await inDocker('r.io', auths({ 'r.io': { auth: wrapped } }));
    assert.deepEqual([auth?.username, problems], ['alice', []]);
  });

  it('may have user name and password in separate fields, and trailing zero bytes', async () => {
    const alone = { username: 'a', password: 'b' };
    const expected = { ...alone, serveraddress: 'r.io' };
    assert.deepEqual(plain((await inDocker('r.io', auths({ 'r.io': alone }))).auth), expected);
    const padded = auths({ 'r.io': { auth: pair('a', 'b\0\0') } });
    assert.deepEqual(plain((await inDocker('r.io', padded)).auth), expected);
  });

  const none: [what: string, text: string, isTrouble: boolean][] = [
    ['is empty', '', true],
    ['is incomplete', '{"auths":{"r.io":{"auth":"', true],
    ['is not a JSON object', '[1]', true],
    ['has no auths', '{}', false],
    ['has invalid auths', '{"auths":[]}', false],
    ['has an empty entry', auths({ 'r.io': {} }), false],
    ['has a null entry', auths({ 'r.io': null }), false],
    ['has an entry without credentials', auths({ 'r.io': { email: 'x' } }), true],
    ['has an entry that is not Base64', auths({ 'r.io': { auth: '%%%' } }), true],
    [
      'has an entry with an invalid Base64 character',
      auths({ 'r.io': { auth: `${PAIR.slice(0, 4)}!` } }),
      true,
    ],
    [
      'has an entry without a colon',
      auths({ 'r.io': { auth: Buffer.from('alice').toString('base64') } }),
      true,
    ],
    ['has an entry without a user name', auths({ 'r.io': { auth: pair('', 'x') } }), true],
  ];
  for (const [what, text, isTrouble] of none) {
    it(`has no credentials if it ${what}`, async () => {
      const { auth, problems } = await inDocker('r.io', text);
      assert.equal(auth, undefined);
      assert.deepEqual(problems, isTrouble ? [{ kind: 'damaged', where: DOCKER }] : []);
    });
  }
});

describe('registries: credential helpers named in a file', () => {
  const found = (username: string, secret: string): HelperResult => ({
    kind: 'found',
    username,
    secret: new Secret(secret),
  });
  const inFile = (config: object): Record<string, string> => ({ [DOCKER]: JSON.stringify(config) });

  it('are called with the key of the registry: its own helper, or else the default one', async () => {
    const files = inFile({ credHelpers: { 'r.io': 'own' }, credsStore: 'all' });
    const helpers = {
      'own r.io': found('alice', SECRET),
      'all q.io': found('bob', 'other'),
      [`all ${HUB}`]: found('carol', 'third'),
    };
    const own = await find('r.io', { files, helpers });
    const expected = { username: 'alice', password: SECRET, serveraddress: 'r.io' };
    assert.deepEqual(plain(own.auth), expected);
    assert.deepEqual(own.source, { kind: 'helper', helper: 'own', file: DOCKER });
    assert.equal((await find('q.io', { files, helpers })).auth?.username, 'bob');
    const hub = await find('docker.io', { files, helpers });
    assert.deepEqual([hub.auth?.username, hub.auth?.serveraddress], ['carol', HUB]);
  });

  it('may return an identity token', async () => {
    const files = inFile({ credsStore: 'all' });
    const { auth } = await find('r.io', {
      files,
      helpers: { 'all r.io': found('<token>', 'tok') },
    });
    assert.deepEqual(plain(auth), { identitytoken: 'tok', serveraddress: 'r.io' });
  });

  it('take precedence over entries in the same file, as in the Docker CLI', async () => {
    const files = inFile({ auths: { 'r.io': { auth: PAIR } }, credsStore: 'all' });
    const nothing = await find('r.io', { files });
    assert.deepEqual([nothing.auth, nothing.asked], [undefined, ['all r.io']]);
    const off = inFile({
      auths: { 'r.io': { auth: PAIR } },
      credsStore: 'all',
      credHelpers: { 'r.io': '' },
    });
    assert.equal((await find('r.io', { files: off })).auth?.username, 'alice');
  });

  it('are reported if they fail, and the next source is checked', async () => {
    const files = {
      ...inFile({ credsStore: 'all' }),
      [PODMAN]: auths({ 'r.io': { auth: PAIR } }),
    };
    for (const kind of ['missing', 'slow', 'failed', 'rubbish', 'tooMuch'] as const) {
      const { auth, source, problems } = await find('r.io', {
        files,
        helpers: { 'all r.io': { kind } },
      });
      assert.equal(auth?.username, 'alice');
      assert.deepEqual(source, { kind: 'file', file: PODMAN });
      assert.deepEqual(problems, [{ kind, helper: 'all', file: DOCKER }]);
    }
  });

  it('are not called if the name could be a path or an option', async () => {
    for (const name of ['../../evil', '/bin/sh', '-x', 'a b', 'a;b', 'ä', '.', 'x'.repeat(101)]) {
      const { asked, problems } = await find('r.io', { files: inFile({ credsStore: name }) });
      assert.deepEqual([asked, problems], [[], [{ kind: 'badName', file: DOCKER }]], name);
    }
  });

  it('are not called if the name is not a string', async () => {
    for (const credsStore of [1, null, {}, ['x'], true]) {
      const { asked, problems } = await find('r.io', { files: inFile({ credsStore }) });
      assert.deepEqual([asked, problems], [[], []]);
    }
  });
});

describe('registries: the auth files of Podman', () => {
  it('come after Docker: only REGISTRY_AUTH_FILE if set, or else runtime folder, then home folder', async () => {
    const entry = (name: string): string => auths({ 'r.io': { auth: pair(name, 'x') } });
    const session = '/run/user/7/containers/auth.json';
    const files = {
      '/told.json': entry('told'),
      [session]: entry('session'),
      [PODMAN]: entry('home'),
    };
    const all = { ...files, [DOCKER]: entry('docker') };
    const env = { XDG_RUNTIME_DIR: '/run/user/7' };
    const who = async (world: World): Promise<string | undefined> =>
      (await find('r.io', world)).auth?.username;
    assert.equal(await who({ files: all, env }), 'docker');
    assert.equal(await who({ files, env: { ...env, REGISTRY_AUTH_FILE: '/told.json' } }), 'told');
    assert.equal(await who({ files, env }), 'session');
    assert.equal(await who({ files }), 'home');
    assert.equal(await who({ files, env: { REGISTRY_AUTH_FILE: '/none.json' } }), undefined);
    assert.equal(await who({ files, env: { REGISTRY_AUTH_FILE: 'told.json' } }), undefined);
  });

  it('may have keys with a path in the registry, of which the longest match wins', async () => {
    const files = {
      [PODMAN]: auths({
        'r.io': { auth: pair('all', 'x') },
        'r.io/team': { auth: pair('team', 'x') },
        'r.io/team/app': { auth: pair('app', 'x') },
        'q.io/team': { auth: pair('other', 'x') },
        'docker.io/library': { auth: pair('hub', 'x') },
      }),
    };
    const who = async (registry: string, repository: string): Promise<string | undefined> =>
      (await find({ registry, repository }, { files })).auth?.username;
    assert.equal(await who('r.io', 'team/app'), 'app');
    assert.equal(await who('r.io', 'team/application'), 'team');
    assert.equal(await who('r.io', 'teams/app'), 'all');
    assert.equal(await who('q.io', 'teams/app'), undefined);
    assert.equal((await find('q.io', { files })).auth, undefined);
    assert.equal(await who('docker.io', 'library/busybox'), 'hub');
    const found = await find({ registry: 'r.io', repository: 'team/app' }, { files });
    assert.equal(found.auth?.serveraddress, 'r.io');
  });

  it('may name a credential helper', async () => {
    const files = { [PODMAN]: JSON.stringify({ credHelpers: { 'r.io': 'pod' } }) };
    assert.deepEqual((await find('r.io', { files })).asked, ['pod r.io']);
    assert.deepEqual((await find('q.io', { files })).asked, []);
  });
});

describe('registries: the first source of credentials', () => {
  const entry = (name: string): string => auths({ 'r.io': { auth: pair(name, 'x') } });

  it('is the sign-in with Gantry, then the variable, then the files', async () => {
    const files = { [DOCKER]: entry('file') };
    const env = { DOCKER_AUTH_CONFIG: entry('variable') };
    const signIns = { 'r.io': { username: 'gantry', password: 'x' } };
    const first = await find('r.io', { files, env, signIns });
    assert.deepEqual([first.auth?.username, first.source.kind], ['gantry', 'signIn']);
    const second = await find('r.io', { files, env });
    assert.equal(second.auth?.username, 'variable');
    assert.deepEqual(second.source, { kind: 'variable', name: 'DOCKER_AUTH_CONFIG' });
    assert.equal((await find('r.io', { files })).auth?.username, 'file');
  });

  it('is skipped and reported if it is invalid', async () => {
    const files = { [DOCKER]: entry('file') };
    const env = { DOCKER_AUTH_CONFIG: '{"auths":' };
    const { auth, problems } = await find('r.io', { files, env });
    assert.equal(auth?.username, 'file');
    assert.deepEqual(problems, [{ kind: 'damaged', where: 'DOCKER_AUTH_CONFIG' }]);
  });

  it('is skipped and reported if it is the secret storage and fails', async () => {
    const found = await findCredentials(
      { registry: 'r.io' },
      {
        machine: machineWith({ [DOCKER]: entry('file') }),
        helpers: { get: () => Promise.resolve({ kind: 'notFound' }) },
        signIn: () => Promise.reject(new Error('locked')),
      },
    );
    assert.equal(found.auth?.username, 'file');
    assert.deepEqual(found.problems, [{ kind: 'storage' }]);
  });

  it('never prints a secret', async () => {
    const broken = auths({ 'r.io': { auth: `${PAIR}!`, password: SECRET } });
    for (const text of [broken, `${broken}}`, entry('a'), auths({ 'r.io': { auth: PAIR } })]) {
      const found = await inDocker('r.io', text);
      const shown = JSON.stringify(found) + inspect(found, { depth: null, showHidden: true });
      assert.ok(!shown.includes(PAIR) && !shown.includes('pa:ss'), shown);
    }
  });
});
