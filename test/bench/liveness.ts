import type { Connection } from '../../src/engine/http/connection.ts';
import { Inventory } from '../../src/inventory/inventory.ts';
import { Watcher } from '../../src/inventory/watcher.ts';
import { delay, wallClock } from '../../src/base/time.ts';
import type { Measurements } from './benchmark.ts';
import { createCrowd, createOne, verb } from './crowd.ts';
import { followEventTimes } from './eventTimes.ts';
import { quantile } from './figures.ts';
import { withEngine, withNewest, type Stage } from './stage.ts';

const CONTAINERS = 500;
const STARTS = 30;
/** How long the requests for one change take at most. */
const REST_MS = 700;

/** Measures the delay of change events after the engine's own, with the machine's engine and the newest one. */
export async function benchLiveness(): Promise<
  Measurements<'median' | 'p95' | 'newestMedian' | 'newestP95'>
> {
  const own = await withEngine(latencies);
  const newest = await withNewest(latencies);
  return { ...own, newestMedian: newest.median, newestP95: newest.p95 };
}

/** Starts and kills a container in turn, as another client would, at least half a second apart. */
async function latencies({ connection, socket }: Stage): Promise<Measurements<'median' | 'p95'>> {
  await createCrowd(socket, CONTAINERS);
  const inventory = new Inventory();
  const watcher = await watching(connection, inventory);
  const id = await createOne(socket, 'lively');
  const events = await followEventTimes(socket, id);
  const times: number[] = [];
  for (let turn = 0; turn < STARTS; turn++) {
    await delay(REST_MS);
    const isStart = turn % 2 === 0;
    const shown = untilState(inventory, id, isStart ? 'running' : 'exited');
    await verb(socket, id, isStart ? 'start' : 'kill');
    const shownAt = await shown;
    times.push(shownAt - events.last(isStart ? 'start' : 'die'));
  }
  events.stop();
  watcher.dispose();
  const { version = '' } = await connection.info();
  return {
    median: { subject: times, note: `Docker ${version}` },
    p95: { subject: quantile(times, 0.95), note: `Docker ${version}` },
  };
}

async function watching(connection: Connection, inventory: Inventory): Promise<Watcher> {
  const connect = (): Promise<Connection> => Promise.resolve(connection);
  const watcher = new Watcher({ inventory, connect, clock: wallClock });
  const isLive = new Promise<void>((resolve) => {
    inventory.onDidChange(() => {
      if (inventory.phase.kind === 'live') resolve();
    });
  });
  watcher.start();
  await isLive;
  return watcher;
}

/** Resolves to the time when the inventory shows the container in this state, in milliseconds since 1970. */
function untilState(inventory: Inventory, id: string, state: string): Promise<number> {
  return new Promise((resolve) => {
    const subscription = inventory.onDidChange(() => {
      if (inventory.containers.get(id)?.state !== state) return;
      subscription.dispose();
      resolve(performance.timeOrigin + performance.now());
    });
  });
}
