import { openConnection, type Connection } from '../../src/engine/http/connection.ts';
import { parseEndpoint } from '../../src/engine/http/endpoint.ts';
import { Inventory } from '../../src/inventory/inventory.ts';
import { Watcher } from '../../src/inventory/watcher.ts';
import { delay, wallClock } from '../../src/base/time.ts';
import { createOne, removeOne, verb } from './crowd.ts';
import { followEventTimes } from './eventTimes.ts';
import { median, quantile, rounded } from './figures.ts';
import type { BenchRow } from './row.ts';

const STARTS = 30;
/** How long the requests for one change take at most. */
const REST_MS = 700;
const IDLE_MS = 60_000;

/**
 * Measures the delay of change events after the engine's own, the requests for them, and the requests while
 * idle.
 */
export async function benchLiveness(socket: string): Promise<BenchRow[]> {
  const requests: string[] = [];
  const connection = openConnection(parseEndpoint(socket, 'setting'), {
    onRequest: ({ path }) => requests.push(path),
  });
  const inventory = new Inventory();
  const watcher = await watching(connection, inventory);
  const id = await createOne(socket, 'lively');
  // The requests for its creation are not counted.
  await delay(REST_MS);
  const { version = '' } = await connection.info();
  try {
    const rows = [
      ...(await benchEvents(socket, id, inventory, requests)),
      await benchIdle(requests),
    ];
    return rows.map((row) => ({ ...row, name: `Docker ${version}: ${row.name}` }));
  } finally {
    watcher.dispose();
    connection.dispose();
    await removeOne(socket, id);
  }
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

/** Starts and kills a container in turn, as another client would, at least half a second apart. */
async function benchEvents(
  socket: string,
  id: string,
  inventory: Inventory,
  requests: string[],
): Promise<BenchRow[]> {
  const eventTimes = await followEventTimes(socket, id);
  const [latencies, lists]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < STARTS; turn++) {
    const before = requests.length;
    const isStart = turn % 2 === 0;
    const shown = untilState(inventory, id, isStart ? 'running' : 'exited');
    await verb(socket, id, isStart ? 'start' : 'kill');
    const shownAt = await shown;
    latencies.push(shownAt - eventTimes.last(isStart ? 'start' : 'die'));
    await delay(REST_MS);
    lists.push(requests.slice(before).filter((path) => path.includes('/containers/json')).length);
  }
  eventTimes.stop();
  const name = 'engine’s event to our change event';
  const note = `${STARTS} starts and kills`;
  return [
    { name: `${name}, median`, value: rounded(median(latencies), 1), unit: 'ms', note },
    {
      name: `${name}, p95`,
      value: rounded(quantile(latencies, 0.95), 1),
      unit: 'ms',
      target: '≤ 100',
      note,
    },
    {
      name: 'list requests for one burst of events, most',
      value: Math.max(...lists),
      unit: '',
      target: '≤ 1',
      note,
    },
  ];
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

async function benchIdle(requests: readonly string[]): Promise<BenchRow> {
  const before = requests.length;
  await delay(IDLE_MS);
  const count = requests.length - before;
  return { name: 'requests in 60 idle seconds', value: count, unit: '', target: '0' };
}
