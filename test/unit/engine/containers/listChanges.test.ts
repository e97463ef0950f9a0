import assert from 'node:assert/strict';
import { isContainerPath, listChanges } from '../../../../src/engine/containers/listChanges.ts';
import { openConnection, type Connection } from '../../../../src/engine/http/connection.ts';
import { containerMounts } from '../../../../src/engine/containers/containerDetails.ts';
import { parseEndpoint } from '../../../../src/engine/http/endpoint.ts';
import { failedWith } from '../../../../src/engine/errors.ts';
import { json, startFakeEngine, type FakeEngine } from '../../support/fakeEngine.ts';

describe('listChanges', () => {
  let fake: FakeEngine;
  let connection: Connection;
  const says = (value: unknown): void => fake.answer((_, response) => json(response, 200, value));

  beforeEach(async () => {
    fake = await startFakeEngine();
    connection = openConnection(parseEndpoint(fake.socket, 'setting'));
  });

  afterEach(async () => {
    connection.dispose();
    await fake.stop();
  });

  it('reads the three kinds', async () => {
    says([
      { Path: '/a', Kind: 0 },
      { Path: '/a/b', Kind: 1 },
      { Path: '/c', Kind: 2 },
    ]);
    assert.deepEqual((await listChanges(connection, 'x')).changes, [
      { path: '/a', kind: 'changed' },
      { path: '/a/b', kind: 'added' },
      { path: '/c', kind: 'deleted' },
    ]);
    assert.equal(fake.seen[0]?.path, '/containers/x/changes');
  });

  it('treats null as an empty list', async () => {
    says(null);
    assert.deepEqual(await listChanges(connection, 'x'), { changes: [], leftOut: 0 });
  });

  it('skips and counts changes of an unknown kind and invalid paths', async () => {
    says([
      { Path: '/good', Kind: 1 },
      { Path: '/odd', Kind: 9 },
      { Path: 7, Kind: 1 },
      null,
      { Path: '/a/../b', Kind: 1 },
    ]);
    assert.deepEqual(await listChanges(connection, 'x'), {
      changes: [{ path: '/good', kind: 'added' }],
      leftOut: 4,
    });
  });

  it('rejects a response that is not a list', async () => {
    says({ message: 'hello' });
    await assert.rejects(listChanges(connection, 'x'), (error) => failedWith(error, 'badAnswer'));
  });

  const paths: [path: string, isGood: boolean][] = [
    ['/a', true],
    ['/...', true],
    ['/.a', true],
    ['/a b/\u202e', true],
    ['/', false],
    ['', false],
    ['a', false],
    ['/a/', false],
    ['/a//b', false],
    ['/./a', false],
    ['/..', false],
    ['/a/..', false],
    ['/a/../b', false],
    ['/a\0b', false],
    [`/${'x'.repeat(5000)}`, false],
  ];
  for (const [path, isGood] of paths) {
    it(`${isGood ? 'accepts' : 'rejects'} the path ${JSON.stringify(path).slice(0, 20)}`, () => {
      assert.equal(isContainerPath(path), isGood);
    });
  }
});

describe('containerMounts', () => {
  it('returns volumes, bind mounts and tmpfs mounts, each once', () => {
    const raw = {
      Mounts: [
        { Type: 'volume', Name: 'data', Source: '/var/lib/x', Destination: '/data' },
        { Type: 'bind', Source: '/home/me', Destination: '/a' },
        { Type: 'tmpfs', Source: '', Destination: '/run' },
        { Type: 'bind' },
        null,
      ],
      HostConfig: { Tmpfs: { '/run': '', '/tmp': 'size=1m' } },
    };
    assert.deepEqual(containerMounts({ raw }), [
      { type: 'bind', target: '/a', source: '/home/me', isReadOnly: false },
      { type: 'volume', target: '/data', source: 'data', isReadOnly: false },
      { type: 'tmpfs', target: '/run', source: '', isReadOnly: false },
      { type: 'tmpfs', target: '/tmp', source: '', isReadOnly: false },
    ]);
    assert.deepEqual(containerMounts({ raw: null }), []);
  });
});
