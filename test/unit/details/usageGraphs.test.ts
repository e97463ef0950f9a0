import assert from 'node:assert/strict';
import '../support/fakeEditor.ts';
import { Emitter } from '../../../src/base/lifetime.ts';
import type { LoadedDetails } from '../../../src/commands/details/loadDetails.ts';
import type { PageUsage, ToPage } from '../../../src/details/protocol.ts';
import { UsageGraphs } from '../../../src/details/usageGraphs.ts';
import { readContainerDetails } from '../../../src/engine/containers/containerDetails.ts';
import { readContainerFacts } from '../../../src/engine/facts/readContainerFacts.ts';
import type { Reading } from '../../../src/statistics/reading.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { settle } from '../support/lab.ts';

const ID = 'a'.repeat(64);
const MEBIBYTE = 1024 * 1024;

describe('UsageGraphs', () => {
  let graphs: UsageGraphs;
  let told: ToPage[];
  let readings: Reading[];
  let watched: (readonly [id: string, interval: number])[];
  let ended: number;
  let clock: FakeClock;
  let isOld: boolean;
  let reads: Emitter<readonly string[]>;

  beforeEach(() => {
    told = [];
    readings = [];
    watched = [];
    ended = 0;
    isOld = false;
    reads = new Emitter();
    const source = {
      watch: ({ ids, interval }: { ids: () => readonly string[]; interval: number }) => {
        watched.push([ids().join(' '), interval]);
        return { dispose: () => (ended += 1) };
      },
      historyOf: () => readings,
      isOld: () => isOld,
      onDidRead: reads.event,
    };
    const page = { post: (message: ToPage) => told.push(message) };
    clock = new FakeClock();
    graphs = new UsageGraphs(page, { usage: () => Promise.resolve(source), clock });
  });
  afterEach(() => graphs.dispose());

  const last = (): PageUsage => {
    const usage = told.findLast((one) => one.type === 'usage')?.usage;
    return usage ?? assert.fail('nothing told');
  };
  const read = (at: number, cpuPercent: number | undefined, memoryBytes: number): void => {
    readings.push({
      ...{ at, cpuPercent, memoryBytes, memoryLimitBytes: undefined, pids: 1 },
      ...{ networkReceived: 0, networkSent: 0, blockRead: 0, blockWritten: 0 },
    });
    reads.fire([ID]);
  };

  /** Lets the time pass after which measuring begins. */
  const begin = (): Promise<void> => {
    clock.pass(500);
    return settle();
  };

  it('are measured every 2 seconds while a running container is seen', async () => {
    graphs.look(container('running'));
    assert.deepEqual([last().cpu.text, last().cpu.points], ['', []]);
    await begin();
    graphs.look(container('running'));
    await begin();
    assert.deepEqual(watched, [[ID, 2000]]);
    read(1000, 12.34, 61 * MEBIBYTE);
    const { cpu, memory } = last();
    assert.deepEqual([cpu.text, memory.text], ['12%', '61 MiB of 64 MiB (95%)']);
    assert.equal(
      memory.spoken,
      'Memory: 61 MiB of 64 MiB (95%), recently 61 MiB of 64 MiB (95%) at most',
    );
    assert.deepEqual([cpu.scale, memory.scale], [10, 64 * MEBIBYTE]);
    graphs.look(undefined);
    assert.equal(ended, 1);
    const count = told.length;
    read(2000, 1, 1);
    assert.equal(told.length, count);
    graphs.look(container('running'));
    await begin();
    assert.equal(watched.length, 2);
    assert.equal(last().cpu.points.length, 2);
  });

  it('are not begun for a page that was hidden while that was loaded', async () => {
    graphs.look(container('running'));
    graphs.look(undefined);
    await begin();
    graphs.look(container('running'));
    clock.pass(499);
    await settle();
    assert.deepEqual(watched, []);
    clock.pass(1);
    graphs.look(undefined);
    await begin();
    assert.deepEqual(watched, []);
  });

  it('are removed when the container does not run', async () => {
    graphs.look(container('exited'));
    await begin();
    assert.deepEqual([told, watched], [[], []]);
    graphs.look(container('running'));
    await begin();
    graphs.look(container('exited'));
    assert.deepEqual([told.at(-1), ended], [{ type: 'usage', usage: undefined }, 1]);
  });

  it('go on while the container is paused: it keeps its memory', async () => {
    graphs.look(container('running'));
    await begin();
    read(1000, 12, 61 * MEBIBYTE);
    graphs.look(container('paused'));
    read(3000, 0, 61 * MEBIBYTE);
    assert.deepEqual([last().cpu.text, last().memory.points.length, ended], ['0%', 2, 0]);
  });

  it('are bounded, and ignore readings of others', async () => {
    graphs.look(container('running'));
    await begin();
    for (let at = 0; at < 500; at += 1) read(at, 1, at);
    assert.equal(last().memory.points.length, 150);
    const count = told.length;
    reads.fire(['other']);
    assert.equal(told.length, count);
  });

  it('break the line at a restart and where readings are missing, and say that they are old', async () => {
    graphs.look(container('running'));
    await begin();
    for (const [at, percent] of [
      [0, 1],
      [2000, 2],
      [4000, undefined],
      [6000, 3],
      [60_000, 4],
    ] as const)
      read(at, percent, 5);
    const { memory, cpu } = last();
    const values = (points: PageUsage['cpu']['points']) => points.map(({ value }) => value);
    assert.deepEqual(values(memory.points), [5, 5, undefined, 5, 5, undefined, 5]);
    assert.deepEqual(values(cpu.points), [1, 2, undefined, undefined, 3, undefined, 4]);
    isOld = true;
    reads.fire([ID]);
    assert.equal(last().isOld, true);
  });
});

function container(Status: string): LoadedDetails {
  const raw = {
    ...{ Id: ID, Name: '/web', HostConfig: { Memory: 64 * MEBIBYTE } },
    State: { Status, Running: Status === 'running', StartedAt: '2026-08-01T10:00:00Z' },
  };
  const { facts, hidden } = readContainerFacts(raw, undefined);
  const details = readContainerDetails(raw);
  return { kind: 'container', facts: { ...facts, wasStopped: false }, hidden, details };
}
