import assert from 'node:assert/strict';
import { EngineError } from '../../../src/engine/errors.ts';
import type { Connection } from '../../../src/engine/http/connection.ts';
import { Activity } from '../../../src/inventory/activity.ts';
import { Inventory } from '../../../src/inventory/inventory.ts';
import { EventRing } from '../../../src/inventory/runs/eventRing.ts';
import { OwnActs } from '../../../src/inventory/runs/ownActs.ts';
import { Statistics } from '../../../src/statistics/statistics.ts';
import { container, idOf } from '../inventory/support/nouns.ts';
import { FakeClock } from '../support/fakeClock.ts';

const A = idOf('a');
const B = idOf('b');

describe('statistics/statistics', () => {
  let clock: FakeClock;
  let inventory: Inventory;
  let statistics: Statistics;
  /** CPU time in milliseconds. */
  let cpuMs: number;
  /** How far the clock of the engine is ahead, in milliseconds. */
  let aheadMs: number;
  /** The containers of each round. */
  let rounds: (readonly string[])[];
  /** What a round does besides: waits, or fails. */
  let during: () => Promise<unknown>;
  let isOpen: boolean;
  /** Whether the engine says what it has counted. */
  let isRead: boolean;
  let reads: (readonly string[])[];

  const sampleOf = () => ({
    engineAt: clock.now() + aheadMs,
    cpuMs,
    memoryBytes: 1000,
    memoryLimitBytes: 4000,
    networkReceived: 0,
    networkSent: 0,
    blockRead: undefined,
    blockWritten: undefined,
    pids: undefined,
  });

  beforeEach(() => {
    clock = new FakeClock();
    cpuMs = 0;
    aheadMs = 0;
    rounds = [];
    reads = [];
    isOpen = false;
    isRead = true;
    during = () => Promise.resolve();
    inventory = new Inventory();
    list('a', 'b');
    const info = { product: 'docker', version: '28.5.2', api: '1.51', engineApi: '1.51' } as const;
    inventory.setPhase({ kind: 'live', info });
    const acts = new OwnActs({ activity: new Activity(), now: () => clock.now() });
    const events = new EventRing({ inventory, acts, now: () => clock.now() });
    const connection = {} as Connection;
    statistics = new Statistics({
      engine: { connect: () => Promise.resolve(connection) },
      inventory,
      events,
      clock,
      open: () => {
        isOpen = true;
        return Promise.resolve({
          sample: async (due, _watched, receive) => {
            if (due.length === 0) return;
            rounds.push(due);
            await during();
            for (const id of due) if (isRead) receive(id, sampleOf());
          },
          dispose: () => {
            isOpen = false;
          },
        });
      },
    });
    statistics.onDidRead((ids) => reads.push(ids));
  });

  afterEach(() => statistics.dispose());

  const list = (...names: readonly string[]): void =>
    inventory.replaceAll(
      names.map((name) => container(name)),
      [],
      0,
    );
  const watch = (ids: readonly string[], interval = 5000) =>
    statistics.watch({ ids: () => ids, interval });
  const settle = async (seconds: number): Promise<void> => {
    for (let step = 0; step < seconds; step++) {
      clock.pass(1000);
      await new Promise(setImmediate);
    }
  };
  /** Lets time pass until a container has so many readings. */
  const readings = async (count: number, id = A): Promise<void> => {
    while (statistics.historyOf(id).length < count) await settle(1);
  };
  const roundsOf = (id: string, since = 0) =>
    rounds.slice(since).filter((due) => due.includes(id)).length;

  it('sends nothing before somebody watches, and nothing after', async () => {
    await settle(10);
    assert.equal(rounds.length, 0);
    const watching = watch([A]);
    await readings(2);
    watching.dispose();
    const before = rounds.length;
    await settle(30);
    assert.equal(rounds.length, before);
    assert.deepEqual(clock.sleeping, []);
    assert.equal(isOpen, false);
  });

  it('reads the rate after a second, and then at the interval', async () => {
    watch([A]);
    await readings(1);
    assert.equal(statistics.latestOf(A)?.cpuPercent, undefined);
    cpuMs = 500;
    await readings(2);
    assert.equal(statistics.latestOf(A)?.cpuPercent, 50);
    const before = rounds.length;
    await settle(20);
    assert.equal(rounds.length - before, 4);
  });

  it('keeps no timer for those who watch an engine that was removed', () => {
    statistics.dispose();
    watch([A]);
    assert.deepEqual(clock.sleeping, []);
  });

  it('reads each container at the shortest interval of those who watch it', async () => {
    watch([A, B]);
    watch([B], 2000);
    await readings(3);
    const before = rounds.length;
    await settle(20);
    assert.deepEqual([roundsOf(A, before), roundsOf(B, before)], [4, 10]);
  });

  it('leaves out containers that do not run, or are gone', async () => {
    inventory.replaceAll([container('a', { state: 'exited' })], [], 0);
    watch([A, B, 'x']);
    await settle(10);
    assert.equal(rounds.length, 0);
    list('a');
    await readings(1);
  });

  it('measures by the clock of the engine, however long the answer takes', async () => {
    watch([A]);
    await readings(1);
    cpuMs = 1000;
    aheadMs = -1000;
    during = () => clock.delay(1000);
    await readings(2);
    // Two seconds passed here and one there.
    assert.equal(statistics.latestOf(A)?.cpuPercent, 100);
    assert.equal(statistics.latestOf(A)?.at, clock.now());
  });

  for (const [what, jumpMs] of [
    ['back', -990],
    ['forward', 3_600_000],
  ] as const)
    it(`measures no peak and no lull if the clock of the engine is set ${what} meanwhile`, async () => {
      watch([A]);
      await readings(1);
      cpuMs = 500;
      aheadMs = jumpMs;
      await readings(2);
      assert.equal(statistics.latestOf(A)?.cpuPercent, 50);
    });

  it('measures by the clock of this machine if that of the engine was set back', async () => {
    watch([A]);
    await readings(1);
    cpuMs = 1000;
    aheadMs = -60_000;
    await readings(2);
    assert.equal(statistics.latestOf(A)?.cpuPercent, 100);
  });

  it('begins anew after a restart instead of reporting a peak', async () => {
    watch([A]);
    cpuMs = 10_000;
    await readings(2);
    cpuMs = 5;
    await readings(3);
    assert.equal(statistics.latestOf(A)?.cpuPercent, undefined);
    // A start is noticed although the counters have passed the last sample.
    cpuMs = 1000;
    inventory.recordEvent({ type: 'container', action: 'start', id: A });
    await readings(4);
    assert.equal(statistics.latestOf(A)?.cpuPercent, undefined);
    assert.deepEqual(
      statistics.marksOf(A).map(({ kind }) => kind),
      ['started'],
    );
  });

  it('measures nothing over the time in which nobody watched', async () => {
    watch([A]).dispose();
    const watching = watch([A]);
    await readings(2);
    watching.dispose();
    await settle(60);
    watch([A]);
    cpuMs = 60_000;
    await readings(3);
    assert.equal(statistics.latestOf(A)?.cpuPercent, undefined);
  });

  it('keeps the last reading and reports it as old while the engine does not answer', async () => {
    watch([A]);
    await readings(2);
    assert.equal(statistics.isOld(A), false);
    during = () => new Promise(() => undefined);
    const before = reads.length;
    await settle(40);
    assert.equal(statistics.isOld(A), true);
    assert.equal(statistics.latestOf(A)?.memoryBytes, 1000);
    // Once, and there is one request, not one for each interval.
    assert.deepEqual(reads.slice(before), [[A]]);
    assert.equal(rounds.length, 3);
  });

  it('pauses after a refusal: rootless engines may have no statistics', async () => {
    during = () => Promise.reject(new EngineError('failed'));
    watch([A]);
    await settle(25);
    assert.equal(rounds.length, 1);
    await settle(10);
    assert.equal(rounds.length, 2);
  });

  it('tries again at once after a lost connection', async () => {
    during = () => Promise.reject(new EngineError('cut'));
    watch([A]);
    await settle(6);
    assert.ok(rounds.length > 1);
  });

  it('sends nothing while the engine is lost', async () => {
    watch([A]);
    await readings(2);
    inventory.setPhase({ kind: 'connecting' });
    const before = rounds.length;
    await settle(20);
    assert.equal(rounds.length, before);
  });

  it('keeps the readings of the last hour', async () => {
    watch([A], 2000);
    await readings(3);
    await settle(3700);
    const history = statistics.historyOf(A);
    const [first] = history;
    assert.ok(history.length <= 1800 && history.length > 1000, String(history.length));
    assert.ok(first && clock.now() - first.at <= 3_605_000);
    list('b');
    assert.equal(statistics.historyOf(A).length, history.length);
  }).timeout(20_000);

  it('reads at the interval, not each second, what never has a rate', async () => {
    watch([A]);
    const goBack = async (seconds: number): Promise<void> => {
      for (let step = 0; step < seconds; step++) {
        cpuMs = 10_000 - rounds.length;
        await settle(1);
      }
    };
    await goBack(10);
    const before = rounds.length;
    await goBack(60);
    assert.equal(rounds.length - before, 12);
  });

  it('rarely asks for what never answers', async () => {
    isRead = false;
    watch([A]);
    await settle(10);
    assert.equal(rounds.length, 5);
    await settle(60);
    assert.equal(rounds.length, 7);
  });

  it('has rates of an engine that takes a minute for all of its containers', async () => {
    during = () => clock.delay(60_000);
    watch([A]);
    await readings(1);
    cpuMs = 60_000;
    await readings(3);
    assert.notEqual(statistics.latestOf(A)?.cpuPercent, undefined);
  });

  it('has no current reading of what has ended, or is no longer watched', async () => {
    let ids = [A, B];
    const watching = statistics.watch({ ids: () => ids, interval: 5000 });
    await readings(2);
    assert.ok(statistics.currentOf(A) && statistics.currentOf(B));
    reads = [];
    inventory.recordEvent({ type: 'container', action: 'die', id: A });
    assert.equal(statistics.currentOf(A), undefined);
    ids = [A];
    await settle(1);
    assert.equal(statistics.currentOf(B), undefined);
    assert.deepEqual([...new Set(reads.flat())].sort(), [A, B]);
    await readings(3);
    assert.ok(statistics.currentOf(A));
    watching.dispose();
    assert.equal(statistics.currentOf(A), undefined);
    assert.ok(statistics.latestOf(A));
  });

  it('reads soon what has started again', async () => {
    watch([A]);
    await readings(2);
    await settle(1);
    const before = rounds.length;
    inventory.recordEvent({ type: 'container', action: 'start', id: A });
    await settle(1);
    assert.equal(rounds.length - before, 1);
  });

  it('keeps the order of readings if the clock of this machine is set back', async () => {
    watch([A]);
    await readings(3);
    clock.pass(-7_200_000);
    await settle(10);
    const times = statistics.historyOf(A).map(({ at }) => at);
    assert.deepEqual(
      times,
      times.toSorted((one, other) => one - other),
    );
    assert.ok(times.length > 1);
    assert.ok(statistics.currentOf(A));
  });

  it('keeps nothing of before the last hour when a container is watched again', async () => {
    const watching = watch([A]);
    await readings(3);
    watching.dispose();
    clock.pass(7_200_000);
    watch([A]);
    await settle(1);
    const [first] = statistics.historyOf(A);
    assert.ok(first && first.at > clock.now() - 3_600_000);
  });

  it('marks starts, exits, health, and lack of memory', () => {
    const see = (action: string, fields: object = {}): void =>
      inventory.recordEvent({ type: 'container', action, id: A, at: clock.now(), ...fields });
    see('start');
    see('health_status', { health: 'unhealthy' });
    see('kill', { signal: '9' });
    see('die', { exitCode: 137 });
    const kinds = () => statistics.marksOf(A).map(({ kind }) => kind);
    assert.deepEqual(kinds(), ['started', 'unhealthy', 'exited']);
    inventory.replaceAll([container('a', { state: 'exited', exitCode: 137 })], [], 0);
    inventory.recordOutOfMemory(A);
    assert.deepEqual(kinds(), ['started', 'unhealthy', 'outOfMemory']);
    assert.equal(statistics.marksOf(A).at(-1)?.exitCode, 137);
  });
});
