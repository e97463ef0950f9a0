import assert from 'node:assert/strict';
import { inspectEnd, type RunEnd } from '../../src/engine/containers/inspectEnd.ts';
import { inspectContainer } from '../../src/engine/containers/containers.ts';
import { killContainer } from '../../src/engine/containers/containerLifecycle.ts';
import { Activity } from '../../src/inventory/activity.ts';
import {
  ContainerFailures,
  type ContainerFailure,
} from '../../src/inventory/runs/containerFailures.ts';
import { EventRing } from '../../src/inventory/runs/eventRing.ts';
import { OwnActs } from '../../src/inventory/runs/ownActs.ts';
import { wallClock } from '../../src/base/time.ts';
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
  let exits: ContainerFailures;
  let told: ContainerFailure[];
  let answers: (RunEnd | undefined)[];
  let endOf: (id: string) => Promise<RunEnd | undefined>;

  beforeEach(async () => {
    site = new Site();
    rig = new Rig(site.connection.endpoint.url);
    await rig.live();
    told = [];
    answers = [];
    endOf = (id) => inspectEnd(site.connection, id);
    const { inventory } = rig;
    const acts = new OwnActs({ activity: new Activity(), now: Date.now });
    const parts = { inventory, acts, now: Date.now };
    exits = new ContainerFailures({
      ...parts,
      events: new EventRing(parts),
      endOf: async (id) => {
        const answer = await endOf(id);
        answers.push(answer);
        return answer;
      },
      hidesStops: () => false,
      after: (ms, run) => wallClock.after(ms, run),
      onStopped: () => undefined,
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
    const { product, version = '' } = await site.connection.info();
    // Podman 4.3 does not detect this here.
    if (product === 'podman' && version.startsWith('4.')) return;
    const ask = endOf;
    // The engine records the exit and its reason one after the other, in any order.
    endOf = (id) =>
      until(async () => {
        const end = await ask(id);
        return end?.memoryKill && end;
      }, 'the engine has recorded the reason');
    const id = await site.run(['sh', '-c', GREEDY], { body: { HostConfig } });
    const { name } = await inspectContainer(site.connection, id);
    await is(id, 'running');
    // The signal has no effect before the trap is set.
    const press = (): Promise<unknown> =>
      killContainer(site.connection, id, { signal: 'SIGUSR1' }).catch(() => undefined);
    await until(async () => (await press(), told.length > 0), 'the out-of-memory exit is reported');
    const failure = { kind: 'outOfMemory', exitCode: 137, limitBytes: HostConfig.Memory };
    assert.deepEqual(told, [{ id, name, ...failure }]);
  });

  it('is reported as a killed process if the container survives it', async () => {
    // Podman has no event for it.
    if (site.isPodman) return;
    const id = await site.run(['sh', '-c', 'tail /dev/zero; sleep 1000'], { body: { HostConfig } });
    await until(() => told.length > 0, 'the killed process is reported');
    assert.deepEqual([told[0]?.kind, told[0]?.id], ['processKilled', id]);
  });

  it('is not reported if a user killed it', async () => {
    const id = await site.sleeper();
    await is(id, 'running');
    await killContainer(site.connection, id);
    await is(id, 'exited');
    await until(() => answers.length > 0, 'the engine has responded');
    assert.deepEqual([answers[0]?.memoryKill, told], [undefined, []]);
  });
});
