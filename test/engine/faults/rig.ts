import assert from 'node:assert/strict';
import type { ConnectionOptions } from '../../../src/engine/http/connection.ts';
import { listContainers } from '../../../src/engine/containers/containers.ts';
import { parseEndpoint } from '../../../src/engine/discovery/endpoint.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { listImages } from '../../../src/engine/images/images.ts';
import type { Container } from '../../../src/engine/model.ts';
import { watchSocket } from '../../../src/engine/discovery/watchSocket.ts';
import { Inventory, type Phase } from '../../../src/inventory/inventory.ts';
import { Watcher } from '../../../src/inventory/watcher.ts';
import { until } from '../../bed/http.ts';
import { DisposableStore, type Disposable } from '../../../src/lifetime.ts';
import { delay, wallClock } from '../../../src/time.ts';

/** What tells "late" from "never" here. */
const SOON_MS = 2000;
const TICK_MS = 10;
/** What a session gives a ping after a call has failed. */
const PING_MS = 1500;

/** How a rig may differ. */
export interface RigOptions {
  readonly limits?: NonNullable<ConnectionOptions['limits']>;
  /** Divides the session's own limits, but for that of a ping: a busy machine needs it. */
  readonly hurry?: number;
}

/** What a window has of one engine: the product's own pieces, put together as the extension does. */
export class Rig implements Disposable {
  readonly inventory = new Inventory();
  readonly engine: Engine;
  readonly watcher: Watcher;
  /** The phases it went through. */
  readonly phases: Phase[] = [];
  readonly #store = new DisposableStore();

  constructor(url: string, { limits, hurry = 1 }: RigOptions = {}) {
    const endpoint = parseEndpoint(url, 'setting');
    const place = { name: url, found: { kind: 'setting' }, endpoint, error: undefined } as const;
    this.engine = this.#store.add(
      new Engine({
        discover: () => Promise.resolve({ candidates: [place], isChosen: true, steps: [] }),
        ...(limits && { limits }),
      }),
    );
    this.#store.add(this.inventory);
    this.watcher = this.#store.add(
      new Watcher({
        inventory: this.inventory,
        connect: (signal) => this.engine.check(signal),
        provenMs: Infinity,
        clock: {
          ...wallClock,
          delay: (milliseconds, signal) =>
            delay(milliseconds > PING_MS ? milliseconds / hurry : milliseconds, signal),
        },
        whenBack: (_, onBack) =>
          endpoint.transport.kind === 'socket'
            ? watchSocket(endpoint.transport.path, onBack)
            : undefined,
      }),
    );
    this.#store.add(
      this.engine.onDidDoubt(() => {
        this.watcher.verify();
      }),
    );
    this.inventory.onDidChange(({ phase }) => {
      if (phase) this.phases.push(this.inventory.phase);
    });
  }

  get phase(): Phase['kind'] {
    return this.inventory.phase.kind;
  }

  /** Starts to watch and waits for the first lists. */
  async live(): Promise<void> {
    this.watcher.start();
    await until(() => this.phase === 'live', 'it is live');
  }

  /** Resolves once it is so; fails where that is not soon. */
  until(isSo: () => boolean, words: string): Promise<void> {
    return soon(isSo, `${words}; it is ${this.phase}`);
  }

  /** The fault is on the wire now: it is said soon, and what was known stays. */
  async saysLost(): Promise<void> {
    const rows = this.inventory.containers.size;
    await this.until(() => this.phases.some(({ kind }) => kind === 'lost'), 'it says lost');
    assert(this.inventory.containers.size >= rows || this.phase === 'live');
    this.phases.length = 0;
  }

  /** The engine answers now: soon it is live, and has what a list that nobody helped has. */
  async isRight(): Promise<void> {
    await this.until(() => this.phase === 'live', 'it is live');
    await soon(() => this.#isSameAsListed().catch(() => false), 'it has what the engine lists');
  }

  async #isSameAsListed(): Promise<boolean> {
    const connection = await this.engine.connect();
    const [containers, images] = [
      await listContainers(connection, { all: true }),
      await listImages(connection, {}),
    ];
    return (
      this.phase === 'live' &&
      same([...this.inventory.containers.values()].map(untimed), containers.map(untimed)) &&
      same(
        [...this.inventory.images.keys()],
        images.map(({ id }) => id),
      )
    );
  }

  dispose(): void {
    this.#store.dispose();
  }
}

/** Resolves once it is so; fails where that is not soon, by the time this process itself could use. */
export async function soon(isSo: () => boolean | Promise<boolean>, words: string): Promise<void> {
  for (let ticks = 0; !(await isSo()); ticks++) {
    assert(ticks < SOON_MS / TICK_MS, `not within ${SOON_MS} ms: ${words}`);
    await delay(TICK_MS);
  }
}

/** What may be left open, counted. */
export function openThings(): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo())
    if (/Pipe|TCP|FSEvent|Process|FSReq/.test(name)) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** Fails where something of these kinds is open that was not before. */
export async function nothingMoreThan(before: Readonly<Record<string, number>>): Promise<void> {
  const more = (): readonly string[] =>
    Object.entries(openThings())
      .filter(([name, count]) => count > (before[name] ?? 0))
      .map(([name, count]) => `${name}: ${count}, before ${before[name] ?? 0}`);
  await soon(() => more().length === 0, 'nothing is left open').catch(() => {
    assert.deepEqual(more(), []);
  });
}

/** The words of a status change with time alone. */
function untimed(container: Container): string {
  const { id, name, state, imageId, exitCode } = container;
  return [id, name, state, imageId, exitCode].join(' ');
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.toSorted().join('\n') === b.toSorted().join('\n');
}
