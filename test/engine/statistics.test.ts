import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { Activity } from '../../src/inventory/activity.ts';
import { EventRing } from '../../src/inventory/runs/eventRing.ts';
import { OwnActs } from '../../src/inventory/runs/ownActs.ts';
import { wallClock } from '../../src/base/time.ts';
import { readOnce } from '../../src/statistics/readOnce.ts';
import type { Reading } from '../../src/statistics/reading.ts';
import { Statistics } from '../../src/statistics/statistics.ts';
import { until } from '../bed/until.ts';
import { Rig } from './faults/rig.ts';
import { Site } from './support.ts';

const MB = 1_000_000;
/** Uses as much of a processor as it gets, and 100 MB. */
const LOAD = 'dd if=/dev/zero of=/dev/shm/load bs=1M count=100; echo full; while :; do :; done';
/** Little enough that a busy machine gives it all of that. */
const LIMITS = { NanoCpus: 300_000_000, Memory: 256 * MB, ShmSize: 200 * MB };
const MEASURED_MS = 10_000;

describe('the statistics of containers of a real engine', function () {
  this.timeout(120_000);

  let site: Site;
  let rig: Rig;
  let statistics: Statistics;

  beforeEach(async () => {
    site = new Site('bridge');
    rig = new Rig(site.connection.endpoint.url);
    await rig.live();
    const { inventory, engine } = rig;
    const acts = new OwnActs({ activity: new Activity(), now: Date.now });
    const events = new EventRing({ inventory, acts, now: Date.now });
    statistics = new Statistics({ engine, inventory, events, clock: wallClock });
  });

  afterEach(async () => {
    statistics.dispose();
    rig.dispose();
    await site.leave();
  });

  it('are those of the engine’s own command', async () => {
    const id = await site.run(['sh', '-c', LOAD], { body: { HostConfig: LIMITS } });
    const idle = await site.sleeper();
    statistics.watch({ ids: () => [id, idle], interval: 1000 });
    const full = (): readonly Reading[] =>
      statistics.historyOf(id).filter(({ memoryBytes }) => memoryBytes > 100 * MB);
    await until(() => full().length > 1, 'a reading of the full memory', 30_000);
    const peer = await peerOf(site, id);
    await until(() => (full().at(-1)?.at ?? 0) >= peer.to, 'a reading after the last of the peer');
    // In the same seconds: a busy machine gives less.
    const readings = full().filter(({ at }) => at >= peer.from && at <= peer.to);
    const cpu = mean(readings.map(({ cpuPercent }) => cpuPercent ?? assert.fail('no rate')));
    const memory = mean(readings.map(({ memoryBytes }) => memoryBytes));
    assert.ok(Math.abs(cpu - peer.cpuPercent) < 5, `${cpu} % beside ${peer.cpuPercent} %`);
    const ratio = memory / peer.memoryBytes;
    assert.ok(Math.abs(ratio - 1) < 0.03, `${memory} bytes beside ${peer.memoryBytes}`);
    const last = readings.at(-1) ?? assert.fail();
    assert.equal(last.memoryLimitBytes, 256 * MB);
    assert.ok((last.pids ?? 0) >= 1);
    const { signal } = new AbortController();
    const both = await readOnce(site.connection, [id, idle], wallClock, signal);
    assert.ok(Math.abs((both.get(id)?.cpuPercent ?? 0) - cpu) < 20, JSON.stringify([...both]));
    assert.equal(both.size, 2);
    const calm = statistics.latestOf(idle) ?? assert.fail('no reading');
    assert.ok((calm.cpuPercent ?? 100) < 5, JSON.stringify(calm));
  });
});

function mean(values: readonly number[]): number {
  assert.ok(values.length > 0);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The means of what the command of the engine itself writes within ten seconds. */
async function peerOf({ facts }: Site, id: string): Promise<Peer> {
  const url = `unix://${facts.socket}`;
  const format = ['--format', '{{.CPUPerc}} {{.MemUsage}}', id];
  const [program, args] =
    facts.kind === 'docker'
      ? ['docker', ['-H', url, 'stats', ...format]]
      : ['podman', ['--url', url, 'stats', '-i', '1', ...format]];
  const child = spawn(program, args);
  try {
    const samples: PeerSample[] = [];
    child.stdout.on('data', (chunk: Buffer) => {
      for (const match of chunk.toString().matchAll(SAMPLE)) samples.push(toSample(match));
    });
    const from = (): number => samples[1]?.at ?? Infinity;
    const to = (): number => samples.at(-1)?.at ?? 0;
    await until(() => to() - from() >= MEASURED_MS, `samples of ${program}`, 60_000);
    return {
      from: from(),
      to: to(),
      cpuPercent: mean(samples.slice(1).map(({ cpuPercent }) => cpuPercent)),
      memoryBytes: mean(samples.slice(1).map(({ memoryBytes }) => memoryBytes)),
    };
  } finally {
    // Docker 20.10 goes on after SIGTERM.
    child.kill('SIGKILL');
  }
}

interface Usage {
  readonly cpuPercent: number;
  readonly memoryBytes: number;
}

interface Peer extends Usage {
  /** When the first sample arrived, and the last, in milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
}

interface PeerSample extends Usage {
  readonly at: number;
}

/** Only those of full memory: the first that Docker writes are empty. */
const SAMPLE = /([\d.]+)% (1\d\d(?:\.\d+)?)(MB|MiB) \//g;

function toSample([, cpu, memory, unit]: RegExpMatchArray): PeerSample {
  return {
    at: Date.now(),
    cpuPercent: Number(cpu),
    memoryBytes: Number(memory) * (unit === 'MiB' ? 1024 ** 2 : MB),
  };
}
