import { listContainers } from '../../src/engine/containers/containers.ts';
import type { Connection } from '../../src/engine/http/connection.ts';
import { Activity } from '../../src/inventory/activity.ts';
import { Inventory } from '../../src/inventory/inventory.ts';
import { EventRing } from '../../src/inventory/runs/eventRing.ts';
import { OwnActs } from '../../src/inventory/runs/ownActs.ts';
import { Statistics } from '../../src/statistics/statistics.ts';
import { delay, wallClock } from '../../src/base/time.ts';
import type { BedEngine } from '../bed/engines.ts';
import { firstChild } from '../bed/space.ts';
import type { Measurement, Measurements } from './benchmark.ts';
import { createCrowd, removeOne, verb } from './crowd.ts';
import { cpuTogetherMs, neighboursOf } from './editor/proc.ts';
import { benchUsage } from './editor/usage.ts';
import { mean, rounded } from './figures.ts';
import { withNewest, type Stage } from './stage.ts';

const CONTAINERS = 20;
const ROUNDS = 3;
/** As rows are read. */
const INTERVAL_MS = 5000;
/**
 * How long each of a round is measured. All rounds together are as long as the two minutes after which Go collects
 * garbage in a process at rest, which costs the engine as much as some readings.
 */
const TIMED_MS = 8 * INTERVAL_MS;
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
  const shares: Record<'atRest' | 'ours' | 'theirs', number[]> = {
    atRest: [],
    ours: [],
    theirs: [],
  };
  for (let round = 1; round <= ROUNDS; round++) {
    shares.atRest.push(await engineCpu());
    const watch = statistics.watch({ ids: () => ids, interval: INTERVAL_MS });
    shares.ours.push(await engineCpu());
    watch.dispose();
    const fewest = Math.min(...ids.map((id) => statistics.historyOf(id).length));
    if (fewest < (round * TIMED_MS) / INTERVAL_MS) throw new Error('A container was not read.');
    const stop = runPeer(engine, ids);
    shares.theirs.push(await engineCpu());
    stop();
  }
  statistics.dispose();
  const atRest = mean(shares.atRest);
  const { version = '' } = await connection.info();
  return {
    subject: mean(shares.ours) - atRest,
    peer: mean(shares.theirs) - atRest,
    note: `more than the ${rounded(atRest, 2)} at rest, means of ${ROUNDS} rounds, Docker ${version}`,
  };
}

/** Runs `docker stats` until the returned function is called. */
function runPeer(engine: BedEngine, ids: readonly string[]): () => void {
  const argv = ['docker', '-H', engine.url, 'stats', ...ids];
  const command = engine.spawn(argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  command.stdout?.resume();
  // What was spawned only waits for it.
  return () => process.kill(firstChild(command.pid ?? NaN), 'SIGKILL');
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
