import assert from 'node:assert/strict';
import { inspectContainer } from '../../src/engine/containers/containers.ts';
import { killContainer } from '../../src/engine/containers/containerLifecycle.ts';
import { Activity } from '../../src/inventory/activity.ts';
import { FailedExits, type FailedExit } from '../../src/inventory/failedExits.ts';
import { until } from '../bed/until.ts';
import { Rig } from './faults/rig.ts';
import { Site } from './support.ts';

const HostConfig = { Memory: 16 * 1024 * 1024 };
/** Uses up all memory on SIGUSR1. */
const GREEDY = "trap 'exec tail /dev/zero' USR1; while :; do sleep 0.1; done";

describe('a killed container', function () {
  this.timeout(60_000);

  let site: Site;
  let rig: Rig;
  let exits: FailedExits;
  let told: FailedExit[];
  let answers: boolean[];
  let wasOutOfMemory: (id: string) => Promise<boolean>;

  beforeEach(async () => {
    site = new Site();
    rig = new Rig(site.connection.endpoint.url);
    await rig.live();
    told = [];
    answers = [];
    wasOutOfMemory = async (id) => (await inspectContainer(site.connection, id)).wasOutOfMemory;
    exits = new FailedExits({
      ...{ inventory: rig.inventory, activity: new Activity(), now: Date.now },
      wasOutOfMemory: async (id) => {
        const answer = await wasOutOfMemory(id);
        answers.push(answer);
        return answer;
      },
    });
    exits.onDidFail((exit) => told.push(exit));
  });

  afterEach(async () => {
    exits.dispose();
    rig.dispose();
    await site.leave();
  });

  const is = (id: string, state: string): Promise<true> =>
    until(
      () => rig.inventory.containers.get(id)?.state === state,
      `the container is shown as ${state}`,
    );

  it('is reported if it ran out of memory', async function () {
    // Podman 4.3 does not detect this here.
    if (site.isPodman) return;
    const ask = wasOutOfMemory;
    // The engine records the exit and its reason one after the other, in any order.
    wasOutOfMemory = async (id) => {
      await until(() => ask(id), 'the engine has recorded the reason');
      return true;
    };
    const id = await site.run(['sh', '-c', GREEDY], { body: { HostConfig } });
    const { name } = await inspectContainer(site.connection, id);
    await is(id, 'running');
    // The signal has no effect before the trap is set.
    const press = (): Promise<unknown> =>
      killContainer(site.connection, id, { signal: 'SIGUSR1' }).catch(() => undefined);
    await until(async () => (await press(), told.length > 0), 'the out-of-memory exit is reported');
    assert.deepEqual(told, [{ id, name, exitCode: 137, isOutOfMemory: true }]);
  });

  it('is not reported if a user killed it', async () => {
    const id = await site.sleeper();
    await is(id, 'running');
    await killContainer(site.connection, id);
    await is(id, 'exited');
    await until(() => answers.length > 0, 'the engine has responded');
    assert.deepEqual([answers, told], [[false], []]);
  });
});
