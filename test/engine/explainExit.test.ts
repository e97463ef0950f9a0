import assert from 'node:assert/strict';
import { recordRun } from '../../src/commands/details/recordRun.ts';
import { tellExit } from '../../src/commands/details/tellExit.ts';
import { runHealthcheck } from '../../src/engine/containers/containerHealth.ts';
import { inspectEnd } from '../../src/engine/containers/inspectEnd.ts';
import { readLastLine } from '../../src/engine/logs/readLastLine.ts';
import { removeContainer, stopContainer } from '../../src/engine/containers/containerLifecycle.ts';
import { inspectContainer } from '../../src/engine/containers/containers.ts';
import { Activity } from '../../src/inventory/activity.ts';
import {
  ContainerFailures,
  type ContainerFailure,
} from '../../src/inventory/runs/containerFailures.ts';
import { EventRing } from '../../src/inventory/runs/eventRing.ts';
import { LastRuns } from '../../src/inventory/runs/lastRuns.ts';
import { OwnActs } from '../../src/inventory/runs/ownActs.ts';
import { wallClock } from '../../src/base/time.ts';
import { until } from '../bed/until.ts';
import { Rig } from './faults/rig.ts';
import { Site } from './support.ts';

const MEGABYTE = 1024 * 1024;

describe('why a container ended', function () {
  this.timeout(90_000);

  let site: Site;
  let rig: Rig;
  let events: EventRing;
  let runs: LastRuns;
  let activity: Activity;
  let told: ContainerFailure[];

  beforeEach(async () => {
    site = new Site();
    rig = new Rig(site.connection.endpoint.url);
    await rig.live();
    const { inventory } = rig;
    const now = Date.now;
    activity = new Activity();
    const acts = new OwnActs({ activity, now });
    events = new EventRing({ inventory, acts, now });
    runs = new LastRuns({ inventory, events, acts, now });
    told = [];
    const failures = new ContainerFailures({
      ...{ inventory, events, acts, now },
      endOf: (id) => inspectEnd(site.connection, id),
      hidesStops: () => site.isPodman,
      after: (ms, run) => wallClock.after(ms, run),
      onStopped: (id) => inventory.recordStop(id),
    });
    failures.onDidFail((failure) => told.push(failure));
  });

  afterEach(async () => {
    rig.dispose();
    await site.leave();
  });

  const is = (id: string, state: string): Promise<true> =>
    until(() => rig.inventory.containers.get(id)?.state === state, `it is shown as ${state}`);
  const tell = (id: string) =>
    tellExit(id, site.connection, { events, runs }, new AbortController().signal);

  const isPodman4 = async (): Promise<boolean> => {
    const { product, version = '' } = await site.connection.info();
    return product === 'podman' && version.startsWith('4.');
  };

  it('is a lack of memory, with the limit that was changed since the last good run', async () => {
    const name = site.name();
    const body = (megabytes: number) => ({ HostConfig: { Memory: megabytes * MEGABYTE } });
    const good = await site.run(['sleep', '1000'], { name, body: body(64) });
    await is(good, 'running');
    recordRun(runs, await inspectContainer(site.connection, good));
    // As Gantry does: Podman may have no event for a stop, and Podman 4.3 sends that of the exit late.
    const stopping = activity.begin(good, 'stopping');
    await stopContainer(site.connection, good, { timeoutSeconds: 0 });
    stopping.dispose();
    await is(good, 'exited');
    await removeContainer(site.connection, good, { force: true, volumes: false });
    await until(() => !rig.inventory.containers.has(good), 'it is gone');

    const greedy = 'echo starting; sleep 1; exec tail /dev/zero';
    const id = await site.run(['sh', '-c', greedy], { name, body: body(16) });
    await is(id, 'exited');
    const story = await tell(id);
    assert.deepEqual([story.exitCode, story.signal], [137, 'SIGKILL']);
    // Podman 4.3 does not detect this here.
    if (story.oomKilled || !site.isPodman) assert.equal(story.oomKilled, true);
    assert.deepEqual([story.lastLines, story.limitBytes], [['starting'], 16 * MEGABYTE]);
    const memory = story.changed.find(({ what }) => what === 'memory');
    const [before, after] = [String(64 * MEGABYTE), String(16 * MEGABYTE)];
    assert.deepEqual(memory, { what: 'memory', before, after });
    assert.equal(story.events.at(-1)?.exitCode, 137);

    // What was removed is told from what was kept.
    const kept = await tell(good);
    assert.deepEqual([kept.lastLines, kept.probes], [[], []]);
  });

  it('is a stop by another client, which is not reported and a good end', async () => {
    // Podman 4.3 does not say that a client stopped a container.
    if (await isPodman4()) return;
    const trap = 'trap "exit 3" TERM; echo ready; while :; do sleep 0.1; done';
    const id = await site.run(['sh', '-c', trap], { body: { StopSignal: 'SIGTERM' } });
    await is(id, 'running');
    const { signal } = new AbortController();
    await until(() => readLastLine(site.connection, id, false, signal), 'the trap is set');
    await stopContainer(site.connection, id);
    await is(id, 'exited');
    await until(() => runs.find(id)?.wasStopped, 'the stop is known');
    assert.deepEqual([runs.find(id)?.exitCode, told], [3, []]);
  });

  it('is told of a container in a crash loop, which is reported once', async () => {
    const id = await site.run(['sh', '-c', 'echo failing; sleep 0.5; exit 3'], {
      body: { HostConfig: { RestartPolicy: { Name: 'always' } } },
    });
    await until(() => told.some(({ kind }) => kind === 'crashLoop'), 'the loop is reported');
    const loop = told.find((one) => one.kind === 'crashLoop');
    assert.deepEqual([loop?.id, loop?.exitCode, loop?.count], [id, 3, 3]);
    const story = await tell(id);
    assert.equal(story.exitCode, 3);
    assert.equal(story.lastLines.at(-1), 'failing');
    assert.equal(told.filter(({ kind }) => kind === 'crashLoop').length, 1);
  });

  it('is not told of a container that runs, but its health check is reported', async () => {
    const Healthcheck = {
      Test: ['CMD-SHELL', 'echo no connection; exit 1'],
      ...{ Interval: 1e9, Timeout: 5e9, Retries: 1 },
    };
    const id = await site.sleeper({ body: { Healthcheck } });
    await is(id, 'running');
    // In Podman 4.3, only an inspect has the result of a health check, not the events and not the list.
    if (await isPodman4()) return;
    // Without timers, Podman never probes by itself.
    if (site.isPodman) await runHealthcheck(site.connection, id);
    await until(() => told.some(({ kind }) => kind === 'unhealthy'), 'it is reported as unhealthy');
    await assert.rejects(tell(id), /has not exited yet/);
  });
});
