import assert from 'node:assert/strict';
import type { Connection } from '../../../src/engine/http/connection.ts';
import { listContainers } from '../../../src/engine/containers/containers.ts';
import { parseEndpoint } from '../../../src/engine/http/endpoint.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { listImages } from '../../../src/engine/images/images.ts';
import type { Container } from '../../../src/engine/model.ts';
import { SocketWatch } from '../../../src/engine/discovery/socketWatch.ts';
import { Inventory } from '../../../src/inventory/inventory.ts';
import type { Phase } from '../../../src/inventory/phase.ts';
import { Watcher } from '../../../src/inventory/watcher.ts';
import { until } from '../../bed/until.ts';
import { DisposableStore, type Disposable } from '../../../src/base/lifetime.ts';
import { delay, wallClock } from '../../../src/base/time.ts';

/** Timeout of a session's ping after a failed request. */
const PING_MS = 1500;
/** The limits of a connection outside of tests. */
const LIMITS = { callMs: 30_000, patientMs: 300_000, pingMs: 10_000 };

/** Options of a rig. */
export interface RigOptions {
  /** See {@link Rig.limitMs}. */
  readonly limitMs?: number;
  /** Time limit of a list of images in milliseconds; see {@link Rig.imagesMs}. */
  readonly imagesMs?: number;
  /** Divides the session's delays that are longer than `PING_MS`: a busy machine needs that timeout in full. */
  readonly hurry?: number;
}

/** The parts of a window that handle one engine: the product's own classes, assembled as the extension does. */
export class Rig implements Disposable {
  readonly inventory = new Inventory();
  readonly engine: Engine;
  readonly watcher: Watcher;
  /** The phases of the inventory so far. */
  readonly phases: Phase[] = [];
  /** Time limit of a list of images in milliseconds. Lists of containers take longer on a busy machine. */
  imagesMs: number | undefined;
  readonly #limits = { ...LIMITS };
  readonly #store = new DisposableStore();

  constructor(url: string, { limitMs, imagesMs, hurry = 1 }: RigOptions = {}) {
    this.limitMs = limitMs;
    this.imagesMs = imagesMs;
    const endpoint = parseEndpoint(url, 'setting');
    const candidate = {
      name: url,
      found: { kind: 'setting' },
      endpoint,
      error: undefined,
    } as const;
    this.engine = this.#store.add(
      new Engine({
        discover: () => Promise.resolve({ candidates: [candidate], isChosen: true, steps: [] }),
        limits: this.#limits,
      }),
    );
    this.#store.add(this.inventory);
    this.watcher = this.#store.add(
      new Watcher({
        inventory: this.inventory,
        connect: async (signal) => this.#withImageLimit(await this.engine.check(signal)),
        provenMs: Infinity,
        clock: {
          ...wallClock,
          delay: (milliseconds, signal) =>
            delay(milliseconds > PING_MS ? milliseconds / hurry : milliseconds, signal),
        },
        whenBack: (_, onBack) =>
          endpoint.transport.kind === 'socket'
            ? new SocketWatch(endpoint.transport.path, onBack)
            : undefined,
      }),
    );
    this.#store.add(this.engine.onDidDoubt(() => this.watcher.requests.verify()));
    this.inventory.onDidChange(({ phase }) => {
      if (phase) this.phases.push(this.inventory.phase);
    });
  }

  /**
   * The time limit of the requests from now on in milliseconds; undefined for the product's limits. Short only
   * while the engine does not respond: a busy one needs its time.
   */
  set limitMs(limitMs: number | undefined) {
    const all = { callMs: limitMs, patientMs: limitMs, pingMs: limitMs };
    Object.assign(this.#limits, limitMs === undefined ? LIMITS : all);
  }

  get phase(): Phase['kind'] {
    return this.inventory.phase.kind;
  }

  /** Starts watching and waits for the first lists. */
  async live(): Promise<void> {
    this.watcher.start();
    await until(() => this.phase === 'live', 'the watcher is live');
  }

  /** Resolves when `isSo` holds. */
  async until(isSo: () => boolean, words: string): Promise<void> {
    try {
      await until(isSo, words);
    } catch (error) {
      throw new Error(`The phase is ${this.phase}`, { cause: error });
    }
  }

  /** Asserts that a present fault is reported, and that known rows stay. */
  async saysLost(): Promise<void> {
    const rows = this.inventory.containers.size;
    await this.until(
      () => this.phases.some(({ kind }) => kind === 'lost'),
      'the connection is reported as lost',
    );
    assert(this.inventory.containers.size >= rows || this.phase === 'live');
    this.phases.length = 0;
  }

  /** Asserts, with the engine responding again, that the state becomes live and equals a fresh list. */
  async isRight(): Promise<void> {
    await this.until(() => this.phase === 'live', 'the watcher is live');
    await until(
      () => this.#isSameAsListed().catch(() => false),
      'the inventory equals the lists of the engine',
    );
  }

  async #isSameAsListed(): Promise<boolean> {
    const connection = await this.engine.connect();
    const containers = await listContainers(connection, { all: true });
    const images = await listImages(connection, {});
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

  /** Returns the connection with the limit of {@link imagesMs}. */
  #withImageLimit(connection: Connection): Connection {
    const send: Connection['send'] = (request) => {
      const isLimited = this.imagesMs !== undefined && request.path === '/images/json';
      return connection.send(isLimited ? { ...request, limitMs: this.imagesMs } : request);
    };
    return new Proxy(connection, {
      get: (_, name) => {
        if (name === 'send') return send;
        const value: unknown = Reflect.get(connection, name);
        return typeof value === 'function' ? (value.bind(connection) as unknown) : value;
      },
    });
  }
}

/** Counts the open resources of the process. */
export function openThings(): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo())
    if (/Pipe|TCP|FSEvent|Process|FSReq/.test(name)) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** Asserts that no more resources are open than before. */
export async function nothingMoreThan(before: Readonly<Record<string, number>>): Promise<void> {
  const more = (): readonly string[] =>
    Object.entries(openThings())
      .filter(([name, count]) => count > (before[name] ?? 0))
      .map(([name, count]) => `${name}: ${count}, before ${before[name] ?? 0}`);
  await until(() => more().length === 0, 'all new resources are closed').catch(() => {
    assert.deepEqual(more(), []);
  });
}

/** Describes a container without its status text, which changes with time alone. */
function untimed(container: Container): string {
  const { id, name, state, imageId, exitCode } = container;
  return [id, name, state, imageId, exitCode].join(' ');
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.toSorted().join('\n') === b.toSorted().join('\n');
}
