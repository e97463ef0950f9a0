import assert from 'node:assert/strict';
import type { Connection } from '../../../../src/engine/http/connection.ts';
import { Inventory } from '../../../../src/inventory/inventory.ts';
import { ComposeProbes } from '../../../../src/projects/cli/composeProbes.ts';
import { container } from '../../inventory/support/nouns.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import type { FakeEngine } from '../../support/fakeEngine.ts';
import { openLab, settle, when, type Lab } from '../../support/lab.ts';
import { podmanPing, ProjectEngine } from '../../support/projectEngine.ts';

describe('ComposeProbes', () => {
  let lab: Lab;
  let engine: ProjectEngine;
  let socket: FakeEngine;
  let clock: FakeClock;
  let connection: Connection;
  let probes: ComposeProbes;
  beforeEach(async () => {
    engine = new ProjectEngine([container('a', { name: 'shop-db-1', state: 'running' })]);
    engine.setHealth('shop-db-1', 'starting');
    lab = openLab();
    ({ connection, engine: socket } = await lab.fake(engine.answer));
    clock = new FakeClock();
    const world = { inventory: new Inventory(), clock };
    probes = new ComposeProbes(() => Promise.resolve(connection), world);
  });
  afterEach(async () => {
    probes.dispose();
    await lab.close();
  });

  const take = (status: string): void => probes.handle({ id: 'Container shop-db-1', status });
  const asked = (): number => engine.asked.filter((one) => one.startsWith('healthcheck')).length;

  it('run a health check at its interval while the CLI waits for it', async () => {
    socket.ping(podmanPing);
    take('Started');
    take('Waiting');
    await clock.asleep(5000);
    assert.equal(asked(), 1);
    clock.pass(5000);
    await clock.asleep(5000);
    assert.equal(asked(), 2);
    take('Healthy');
    await when(() => clock.sleeping.length === 0);
    assert.equal(asked(), 2);
  });

  it('end with the run, and when the container is healthy', async () => {
    socket.ping(podmanPing);
    take('Waiting');
    await clock.asleep(5000);
    probes.dispose();
    await when(() => clock.sleeping.length === 0);
    engine.setHealth('shop-db-1', 'healthy');
    take('Waiting');
    await when(() => asked() === 2);
    await settle();
    assert.deepEqual(clock.sleeping, []);
  });

  it('are left to an engine that runs health checks itself', async () => {
    await connection.info();
    take('Waiting');
    await settle();
    assert.deepEqual([socket.seen, clock.sleeping], [[], []]);
  });
});
