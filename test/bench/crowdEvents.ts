import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openConnection, type Connection } from '../../src/engine/http/connection.ts';
import { parseEndpoint } from '../../src/engine/http/endpoint.ts';
import { Activity } from '../../src/inventory/activity.ts';
import { Inventory } from '../../src/inventory/inventory.ts';
import { Watcher } from '../../src/inventory/watcher.ts';
import { DisposableStore, type Disposable } from '../../src/base/lifetime.ts';
import { delay, wallClock, type Clock } from '../../src/base/time.ts';
import { ContainerRows } from '../../src/views/containers/containerRows.ts';
import type { RenderContext } from '../../src/views/rowPresentation.ts';
import { CrowdProcess, type CrowdAction } from './crowdProcess.ts';
import { benchScreen } from './editor/crowdScreen.ts';
import { median, rounded } from './figures.ts';
import type { BenchRow } from './row.ts';

const [FEW, MANY] = [100, 10_000] as const;
const ROUNDS = 31;
/** The pause between two events, so that they are handled separately. */
const REST_MS = 60;
/** In the middle of the rows: one that is running and one that is not. */
const [RUNNING, STOPPED] = [50, 51] as const;
/** The maximum time that a window waits for follow-up events. */
const LONGEST_GRACE = 100;

interface Deed {
  readonly name: string;
  readonly index: number;
  /** The measured action, and the one that reverts it. */
  readonly actions: readonly [CrowdAction, CrowdAction];
}

const DEEDS: readonly Deed[] = [
  { name: 'pause', index: RUNNING, actions: ['pause', 'unpause'] },
  { name: 'rename', index: RUNNING, actions: ['rename', 'rename'] },
  {
    name: 'health',
    index: RUNNING,
    actions: ['health_status: unhealthy', 'health_status: healthy'],
  },
  { name: 'start', index: STOPPED, actions: ['start', 'die'] },
];

/** Skips the waits for follow-up events, so that only work is measured. */
const HASTY: Clock = {
  ...wallClock,
  delay: (milliseconds, signal) => delay(milliseconds <= LONGEST_GRACE ? 0 : milliseconds, signal),
};

/** Measures the cost of one event among many containers, compared with few. */
export async function benchCrowd(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-bench-'));
  const engines: CrowdProcess[] = [];
  try {
    const few = await CrowdProcess.start(folder, FEW);
    engines.push(few);
    const many = await CrowdProcess.start(folder, MANY);
    engines.push(many);
    return [
      ...(await compare(engines, wallClock, 'one event among 10,000')),
      ...(await compare(engines, HASTY, 'the same without its waits')),
      await benchScreen(few, many),
    ];
  } finally {
    for (const engine of engines) engine.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compare(
  engines: readonly CrowdProcess[],
  clock: Clock,
  name: string,
): Promise<BenchRow[]> {
  const shown: Shown[] = [];
  try {
    for (const engine of engines) shown.push(await Shown.of(engine, clock));
    const [few, many] = shown;
    if (!few || !many) return [];
    const rows: BenchRow[] = [];
    for (const deed of DEEDS) rows.push(await compareDeed(deed, [few, many], name));
    if (clock !== wallClock) return rows;
    return [...rows.map((row) => ({ ...row, target: '≤ 1.5' })), ...counts(many, name)];
  } finally {
    for (const one of shown) one.dispose();
  }
}

async function compareDeed(
  { name, index, actions }: Deed,
  [few, many]: readonly [Shown, Shown],
  prefix: string,
): Promise<BenchRow> {
  const times = new Map<Shown, number[]>([
    [few, []],
    [many, []],
  ]);
  // The first round is a warm-up.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [one, taken] of times) {
      const [milliseconds] = [
        await one.takes(actions[0], index),
        await one.takes(actions[1], index),
      ];
      if (round > 0) taken.push(milliseconds);
    }
  }
  const [least, value] = [median(times.get(few) ?? []), median(times.get(many) ?? [])];
  return {
    name: `${prefix}: ${name}`,
    value: rounded(value, 1),
    unit: 'ms',
    peer: `among ${FEW}, ${rounded(least, 1)} ms`,
    ratio: rounded(value / least, 2),
  };
}

function counts(many: Shown, name: string): BenchRow[] {
  return [
    { name: `${name}: list requests, most`, value: many.mostLists, unit: '', target: '≤ 1' },
    {
      name: `${name}: what we add to reading them anew`,
      value: rounded(median(many.readings), 1),
      unit: 'ms',
      note: 'the order of all rows after one moved',
    },
  ];
}

/** An engine and the rows that show it. */
class Shown implements Disposable {
  readonly #store = new DisposableStore();
  readonly #engine: CrowdProcess;
  readonly #connection: Connection;
  readonly #rows: ContainerRows;
  #lists = 0;
  /** Maximum number of list requests between an event and the end of the pause after it. */
  mostLists = 0;
  /** How long it took to get the order of the rows after one had moved, in milliseconds. */
  readonly readings: number[] = [];

  static async of(engine: CrowdProcess, clock: Clock): Promise<Shown> {
    const inventory = new Inventory();
    const shown = new Shown(engine, inventory);
    const connect = (): Promise<Connection> => Promise.resolve(shown.#connection);
    const watcher = shown.#store.add(new Watcher({ inventory, connect, clock }));
    const isLive = new Promise<void>((resolve) => {
      inventory.onDidChange(() => {
        if (inventory.phase.kind === 'live') resolve();
      });
    });
    watcher.start();
    await isLive;
    return shown;
  }

  private constructor(engine: CrowdProcess, inventory: Inventory) {
    this.#engine = engine;
    this.#connection = this.#store.add(
      openConnection(parseEndpoint(engine.socket, 'setting'), {
        onRequest: ({ path }) => {
          if (path.includes('/containers/json')) this.#lists++;
        },
      }),
    );
    this.#store.add(inventory);
    const activity = this.#store.add(new Activity());
    const context: RenderContext = { inventory, activity, now: Date.now };
    this.#rows = this.#store.add(new ContainerRows('bench', context, false));
  }

  /** Measures from writing an event to the change of the rows, in milliseconds. */
  async takes(action: CrowdAction, index: number): Promise<number> {
    const lists = this.#lists;
    const changed = this.#changed();
    const writtenAt = await this.#engine.happen({ action, index });
    const { changedAt, isMoved } = await changed;
    const startedAt = performance.now();
    const { length } = this.#rows.roots;
    if (isMoved && length > 0) this.readings.push(performance.now() - startedAt);
    await delay(REST_MS);
    this.mostLists = Math.max(this.mostLists, this.#lists - lists);
    return Number(changedAt - writtenAt) / 1e6;
  }

  #changed(): Promise<{ readonly changedAt: bigint; readonly isMoved: boolean }> {
    return new Promise((resolve) => {
      const subscription = this.#rows.onDidChange(({ isRootStale }) => {
        subscription.dispose();
        resolve({ changedAt: process.hrtime.bigint(), isMoved: isRootStale });
      });
    });
  }

  dispose(): void {
    this.#store.dispose();
  }
}
