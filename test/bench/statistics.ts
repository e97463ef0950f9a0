import { listContainers } from '../../src/engine/containers/containers.ts';
import type { Connection } from '../../src/engine/http/connection.ts';
import { Activity } from '../../src/inventory/activity.ts';
import { Inventory } from '../../src/inventory/inventory.ts';
import { EventRing } from '../../src/inventory/runs/eventRing.ts';
import { OwnActs } from '../../src/inventory/runs/ownActs.ts';
import { Statistics } from '../../src/statistics/statistics.ts';
import { delay, wallClock } from '../../src/base/time.ts';
import { firstChild } from '../bed/space.ts';
import type { Measurement, Measurements } from './benchmark.ts';
import { createCrowd, removeOne, verb } from './crowd.ts';
import { cpuTogetherMs, neighboursOf } from './editor/proc.ts';
import { benchUsage } from './editor/usage.ts';
import { withNewest, type Stage } from './stage.ts';

const CONTAINERS = 20;
const ROUNDS = 4;
/** As rows are read. */
const INTERVAL_MS = 5000;
/** How long each of a round is measured. */
const TIMED_MS = 4 * INTERVAL_MS;
/** The pause until each of them runs evenly. */
const SETTLE_MS = 4000;

/** Measures what it costs to read 20 running containers again and again: the engine, and a window. */
export function benchStatistics(): Promise<Measurements<'engine' | 'host'>> {
  return withNewest(async (stage) => {
    const ids = await createCrowd(stage.socket, CONTAINERS);
    for (const id of ids) await verb(stage.socket, id, 'start');
    const engine = await benchEngine(stage, ids);
    for (const id of ids) await removeOne(stage.socket, id);
    return { engine, host: await benchUsage(stage.socket, CONTAINERS) };
  });
}

/** Measures the engine, compared with `docker stats` of the same containers; both without what it uses at rest. */
async function benchEngine(
  { connection, engine }: Stage,
  ids: readonly string[],
): Promise<Measurement> {
  // Without the command of the peer, which runs beside the engine.
  const engineCpu = shareOf(neighboursOf(engine.pid));
  const statistics = await openStatistics(connection);
  const subject: number[] = [];
  const peer: number[] = [];
  // Discard the first round, which is a warm-up.
  for (let round = 0; round <= ROUNDS; round++) {
    const atRest = await engineCpu();
    const watch = statistics.watch({ ids: () => ids, interval: INTERVAL_MS });
    const ours = await engineCpu();
    watch.dispose();
    const command = engine.spawn(['docker', '-H', engine.url, 'stats', ...ids], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    command.stdout?.resume();
    const theirs = await engineCpu();
    // What was spawned only waits for it.
    process.kill(firstChild(command.pid ?? NaN), 'SIGKILL');
    if (round === 0) continue;
    subject.push(ours - atRest);
    peer.push(theirs - atRest);
  }
  const fewest = Math.min(...ids.map((id) => statistics.historyOf(id).length));
  statistics.dispose();
  const expected = ((ROUNDS + 1) * TIMED_MS) / INTERVAL_MS;
  if (fewest < expected) throw new Error(`A container was read only ${fewest} times.`);
  const { version = '' } = await connection.info();
  return { subject, peer, note: `more than at rest, Docker ${version}` };
}

/** Returns a function that resolves to how much of one core processes use together, in percent. */
function shareOf(pids: readonly number[]): () => Promise<number> {
  return async () => {
    await delay(SETTLE_MS);
    const [before, startedAt] = [cpuTogetherMs(pids), performance.now()];
    await delay(TIMED_MS);
    return ((cpuTogetherMs(pids) - before) / (performance.now() - startedAt)) * 100;
  };
}

async function openStatistics(connection: Connection): Promise<Statistics> {
  const inventory = new Inventory();
  inventory.setPhase({ kind: 'live', info: await connection.info() });
  inventory.replaceAll(await listContainers(connection, { all: true }), [], Date.now());
  const acts = new OwnActs({ activity: new Activity(), now: Date.now });
  const events = new EventRing({ inventory, acts, now: Date.now });
  const engine = { connect: () => Promise.resolve(connection) };
  return new Statistics({ engine, inventory, events, clock: wallClock });
}
