import assert from 'node:assert/strict';
import {
  listContainersInPods,
  withPods,
} from '../../../../src/engine/containers/listContainersInPods.ts';
import type { Connection } from '../../../../src/engine/http/connection.ts';
import type { Container } from '../../../../src/engine/model.ts';
import { container, idOf } from '../../inventory/support/nouns.ts';
import { json, type FakeEngine } from '../../support/fakeEngine.ts';
import { openLab, type Lab } from '../../support/lab.ts';

describe('the pods of containers', () => {
  let lab: Lab;
  let engine: FakeEngine;
  let connection: Connection;
  let pods: unknown;
  let isPodman: boolean;

  beforeEach(async () => {
    lab = openLab();
    pods = [];
    isPodman = true;
    ({ engine, connection } = await lab.fake(({ path }, response) => {
      const list = ['a', 'b', 'c'].map((one) => ({ Id: idOf(one), Names: [`/${one}`] }));
      if (pods === undefined) json(response, 500, { message: 'no pods' });
      else json(response, 200, path.endsWith('/pods/json') ? pods : list);
    }));
    engine.ping((_, response) => {
      const headers = isPodman ? { 'libpod-api-version': '5.8.6' } : {};
      response.writeHead(200, { 'api-version': '1.41', ...headers });
      response.end('OK');
    });
  });
  afterEach(() => lab.close());

  const asked = (): number => engine.seen.filter(({ path }) => path.includes('/pods/')).length;
  const podOf = (list: readonly Container[]): object =>
    Object.fromEntries(list.flatMap(({ name, pod }) => (pod ? [[name, pod]] : [])));

  it('are found by the IDs of the containers, with the one that holds the pod together', async () => {
    pods = [
      { Name: 'shop', InfraId: idOf('a'), Containers: [{ Id: idOf('a') }, { Id: idOf('b') }] },
      { Name: '', Containers: [{ Id: idOf('c') }] },
      ...[7, null, { Name: 'x', Containers: 'y' }, { Name: 'x', Containers: [null, { Id: 1 }] }],
    ];
    assert.deepEqual(podOf(await listContainersInPods(connection)), {
      a: { name: 'shop', isInfra: true },
      b: { name: 'shop', isInfra: false },
    });
  });

  it('are asked for only if a container is new, and never of Docker', async () => {
    pods = [{ Name: 'shop', Containers: [{ Id: idOf('a') }, { Id: idOf('b') }] }];
    const a = container('a', { name: 'a' });
    const b = container('b', { name: 'b' });
    const pod = { name: 'old', isInfra: false };
    const known = new Map([[a.id, { ...a, pod }]]);
    assert.deepEqual(podOf(await withPods(connection, [a], known)), { a: pod });
    assert.deepEqual(podOf(await withPods(connection, [], new Map())), {});
    assert.equal(asked(), 0);
    const both = await withPods(connection, [a, b], known);
    assert.deepEqual(podOf(both), { a: pod, b: { name: 'shop', isInfra: false } });
    assert.equal(asked(), 1);
    isPodman = false;
    const docker = lab.connect(engine.url);
    assert.deepEqual(podOf(await withPods(docker, [a, b], new Map())), {});
    assert.equal(asked(), 1);
  });

  it('are left out if the engine cannot list them', async () => {
    await connection.info();
    for (const broken of [undefined, { no: 'list' }]) {
      pods = broken;
      const list = await withPods(connection, [container('a')], new Map());
      assert.deepEqual(podOf(list), {});
    }
  });

  it('are asked for again after a failure: with a new container, or with a complete list', async () => {
    await connection.info();
    const a = container('a', { name: 'a' });
    const b = container('b', { name: 'b' });
    pods = undefined;
    const first = await withPods(connection, [a], new Map());
    const known = new Map(first.map((one) => [one.id, one]));
    pods = [{ Name: 'shop', Containers: [{ Id: idOf('a') }] }];
    assert.deepEqual(podOf(await withPods(connection, [a], known)), {});
    const expected = { a: { name: 'shop', isInfra: false } };
    assert.deepEqual(podOf(await withPods(connection, [a, b], known)), expected);
    assert.deepEqual(podOf(await withPods(connection, [a], known, undefined, true)), expected);
  });

  it('stay known if they cannot be listed again', async () => {
    await connection.info();
    const a = container('a', { name: 'a', pod: { name: 'shop', isInfra: false } });
    pods = undefined;
    const list = await withPods(connection, [a], new Map([[a.id, a]]), undefined, true);
    assert.deepEqual(podOf(list), { a: a.pod });
  });
});
