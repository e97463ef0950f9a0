import assert from 'node:assert/strict';
import { InputError } from '../../../src/engine/errors.ts';
import type { EndpointCandidate } from '../../../src/engine/discovery/endpointCandidate.ts';
import {
  entryOf,
  freeEngineName,
  hostSettingOf,
  nameFor,
  nameProblem,
  newEngineCandidate,
  type NewEngine,
} from '../../../src/engines/newEngine.ts';
import { contextFile, contextText, machineWith } from '../engine/discovery/fakeFiles.ts';

const isTaken = (name: string): boolean => name === 'work' || name === 'work 2';

describe('engines/newEngine: the name of an engine', () => {
  const problem = (name: string): string | undefined => nameProblem(name, isTaken);

  it('may be any short text on one line', () => {
    for (const name of ['staging', 'the big one (2)', 'Büro', '构建', 'a.b/c', 'x'.repeat(60)]) {
      assert.equal(problem(name), undefined, name);
    }
  });

  it('must not be empty, too long, taken, or contain invisible characters', () => {
    for (const name of ['', '  ']) assert.match(problem(name) ?? '', /^The engine name is empty/);
    assert.match(problem('x'.repeat(61)) ?? '', /can have up to 60 characters/);
    assert.match(problem('work') ?? '', /An engine named "work" already exists/);
    for (const name of ['a\nb', ' a', 'a ', 'a\u202eb', 'a\u200bb', 'a\x1b[1mb']) {
      assert.match(problem(name) ?? '', /one line/, JSON.stringify(name));
    }
  });

  it('is suggested from the address, with a number if that is taken', () => {
    const suggested = {
      'context:blue': 'blue',
      'tcp://10.0.0.5:2376': '10.0.0.5:2376',
      'tcp://10.0.0.5': '10.0.0.5',
      'tcp://[fe80::1]:2375': '[fe80::1]:2375',
      'ssh://me@build.example.com': 'build.example.com',
      'ssh://me@[fe80::1]:22': 'fe80::1',
      'build:2375': 'build:2375',
      '/run/user/1000/docker.sock': 'docker',
      'unix:///run/podman/podman.sock': 'podman',
    };
    for (const [host, name] of Object.entries(suggested)) assert.equal(nameFor(host), name);
    assert.equal(freeEngineName('work', isTaken), 'work 3');
    assert.equal(freeEngineName('play', isTaken), 'play');
    assert.equal(nameProblem(freeEngineName('y'.repeat(90), isTaken), isTaken), undefined);
    assert.equal(nameProblem(freeEngineName(' ', isTaken), isTaken), undefined);
  });
});

describe('engines/newEngine: the entry in the settings', () => {
  it('is the address alone if there are no TLS options', () => {
    const name = 'a';
    const host = 'tcp://b:1';
    assert.equal(entryOf({ name, host }), host);
    assert.equal(entryOf({ name, host, certPath: '', skipTlsVerify: false }), host);
    assert.deepEqual(entryOf({ name, host, certPath: '/c' }), { host, certPath: '/c' });
    assert.deepEqual(entryOf({ name, host, skipTlsVerify: true }), { host, skipTlsVerify: true });
  });

  it('names a Docker context by its name, and any other candidate by its address', () => {
    const candidate = (found: EndpointCandidate['found']): EndpointCandidate => ({
      name: 'x',
      found,
      endpoint: { url: 'unix:///s', transport: { kind: 'socket', path: '/s' }, source: 'context' },
      error: undefined,
    });
    assert.equal(hostSettingOf(candidate({ kind: 'context', name: 'blue' })), 'context:blue');
    assert.equal(hostSettingOf(candidate({ kind: 'usual', product: 'Docker' })), 'unix:///s');
  });
});

describe('engines/newEngine: the endpoint', () => {
  const machine = machineWith({
    [contextFile('blue')]: contextText('blue', 'tcp://blue:2375'),
    '/certs/ca.pem': 'ca',
    '/empty/': '',
  });
  const placed = (engine: Omit<NewEngine, 'name'>): Promise<EndpointCandidate> =>
    newEngineCandidate({ name: 'new', ...engine }, machine);
  const refused = (engine: Omit<NewEngine, 'name'>, words: RegExp): Promise<void> =>
    assert.rejects(placed(engine), (error: unknown) => {
      assert(error instanceof InputError);
      assert.match(error.message, words);
      return true;
    });

  it('is resolved from any address and from an existing context', async () => {
    assert.equal((await placed({ host: '/tmp/s' })).endpoint?.url, 'unix:///tmp/s');
    assert.equal((await placed({ host: 'context:blue' })).endpoint?.url, 'tcp://blue:2375');
    const encrypted = await placed({ host: 'tcp://a:1', certPath: '/certs' });
    assert.ok(encrypted.endpoint?.transport.kind === 'tcp' && encrypted.endpoint.transport.tls);
  });

  it('is rejected with a message if the entry is invalid', async () => {
    await refused({ host: '' }, /is not a valid engine address/);
    await refused({ host: 'a b' }, /"a b" is not a valid engine address/);
    await refused({ host: 'context:red' }, /Docker context "red" not found/);
    await refused({ host: 'tcp://a:1', certPath: '/empty' }, /No usable certificates in \/empty/);
    await refused({ host: 'tcp://a:1', certPath: 'certs' }, /No usable certificates in certs/);
    await refused({ host: '/tmp/s', certPath: '/certs' }, /only supported for tcp:\/\/ addresses/);
    await refused(
      { host: 'context:blue', skipTlsVerify: true },
      /only supported for tcp:\/\/ addresses/,
    );
  });
});
