/** The containers that tasks still have to remove, kept in case the window closes before that. */

import type { Connection } from '../engine/http/connection.ts';
import type { ContainerDetails } from '../engine/containers/containerDetails.ts';
import { inspectContainer } from '../engine/containers/containers.ts';
import { removeContainer } from '../engine/containers/containerLifecycle.ts';
import { ExitTracker } from '../engine/containers/exitTracker.ts';
import { failedWith } from '../engine/errors.ts';
import { isInterruption } from '../engine/containers/reconnectingWait.ts';
import { isUp, type Container } from '../engine/model.ts';
import type { Connect } from '../engine/sameEngineOnly.ts';
import { asList, asRecord, asText } from '../engine/wire.ts';
import type { Disposable, Event } from '../lifetime.ts';
import { delay } from '../time.ts';
import type { RemovePolicy } from './taskOptions.ts';

/**
 * Remembers the containers that tasks have to remove, from the creation of each one to its removal. A container that is
 * left behind when the window closes is removed by the next window after it has exited. Running containers are not
 * stopped.
 */
export class PendingRemovals {
  readonly #memento: RemovalMemento;
  readonly #leftBehind: Map<string, LeftBehind>;
  /** The inspects and removals in progress, by container ID. */
  readonly #inProgress = new Map<string, Promise<void>>();

  constructor(memory: RemovalMemento) {
    this.#memento = memory;
    this.#leftBehind = new Map(this.#all().map((one) => [one.id, { ...one, wasRunning: false }]));
  }

  /** Whether there are containers of earlier windows to remove, on any engine. */
  get hasLeft(): boolean {
    return this.#leftBehind.size > 0;
  }

  /** Notes a container that was created and has to be removed. Never rejects. */
  async note(connection: Connection, id: string, remove: RemovePolicy): Promise<void> {
    if (remove === false) return;
    const details = await inspectContainer(connection, id).catch(() => undefined);
    if (!details) return;
    const { name, createdAt, startedAt } = details;
    const engine = connection.endpoint.url;
    const onSuccess = remove === 'onSuccess';
    const pending = { engine, id, name, createdAt, startedAt, onSuccess };
    this.#save([...this.#all(), pending].slice(-MOST));
  }

  /**
   * Notes when the task started a container that was noted: a later start is not the task's. Tries again while the
   * engine cannot be asked. Never rejects.
   */
  async noteStart(connect: Connect, id: string, retry: StartRetryOptions = {}): Promise<void> {
    const { signal, pause = delay } = retry;
    for (let pauseMs = FIRST_PAUSE_MS; this.#has(id); pauseMs *= 2) {
      try {
        this.#setStart(id, await inspectContainer(await connect(signal), id));
        return;
      } catch (error) {
        if (!isInterruption(error)) return;
      }
      await pause(Math.min(pauseMs, LONGEST_PAUSE_MS), signal).catch(() => undefined);
      if (signal?.aborted) return;
    }
  }

  /** Forgets a container that was removed or has to be kept. */
  drop(id: string): void {
    this.#leftBehind.delete(id);
    const all = this.#all();
    const others = all.filter((one) => one.id !== id);
    if (others.length < all.length) this.#save(others);
  }

  /**
   * Removes the containers that earlier windows left behind on the engine at this address and that have exited. Sends
   * no request if none is due. Resolves after removals that another sweep has begun. Never rejects.
   *
   * @param isDue whether to inspect this container.
   */
  async sweep(
    url: string,
    connect: () => Promise<Connection>,
    isDue: (one: Readonly<LeftBehind>) => boolean = () => true,
  ): Promise<void> {
    const due = [...this.#leftBehind.values()].filter((one) => one.engine === url && isDue(one));
    if (due.length === 0) return;
    const connection = await connect().catch(() => undefined);
    if (connection?.endpoint.url !== url) return;
    for (const one of due) await this.#inspectOnce(one, connection);
  }

  /** As `sweep`, but only for the container that has the name which a new container needs. */
  sweepName(
    name: string | undefined,
    url: string,
    connect: () => Promise<Connection>,
  ): Promise<void> {
    return this.sweep(url, connect, (one) => one.name === name);
  }

  /** Joins an inspect of the container that is already in progress. */
  async #inspectOnce(one: LeftBehind, connection: Connection): Promise<void> {
    const { id } = one;
    const current = this.#inProgress.get(id);
    if (current) return current;
    if (!this.#leftBehind.has(id)) return;
    const work = this.#removeIfExited(one, connection).finally(() => this.#inProgress.delete(id));
    this.#inProgress.set(id, work);
    await work;
  }

  /** What cannot be decided yet stays due. */
  async #removeIfExited(one: LeftBehind, connection: Connection): Promise<void> {
    try {
      const details = await inspectContainer(connection, one.id);
      one.wasRunning = details.isRunning;
      if (!isUnchanged(one, details) || details.state === 'dead') this.drop(one.id);
      else if (hasExited(details)) await this.#remove(one, details, connection);
    } catch (error) {
      if (failedWith(error, 'notFound')) this.drop(one.id);
    }
  }

  async #remove(
    { id, onSuccess }: LeftBehind,
    { exitCode, wasStarted }: ContainerDetails,
    connection: Connection,
  ): Promise<void> {
    const isWanted = !onSuccess || (wasStarted && exitCode === 0);
    try {
      // Without force, so that the engine refuses to remove a container that was started again.
      if (isWanted) await removeContainer(connection, id, { volumes: true });
      this.drop(id);
    } catch (error) {
      // The engine would refuse again at every change. The next window tries again.
      if (failedWith(error, 'conflict', 'failed')) this.#leftBehind.delete(id);
      else throw error;
    }
  }

  #has(id: string): boolean {
    return this.#all().some((one) => one.id === id);
  }

  /** Does nothing if the container was dropped during the inspect. */
  #setStart(id: string, { startedAt }: ContainerDetails): void {
    this.#save(this.#all().map((one) => (one.id === id ? { ...one, startedAt } : one)));
  }

  #all(): readonly Pending[] {
    return asList(this.#memento.get(KEY)).flatMap((kept) => readPending(kept) ?? []);
  }

  #save(all: readonly Pending[]): void {
    // Rejects while the window closes. The next window then finds that the container is gone.
    this.#memento.update(KEY, all).then(undefined, () => undefined);
  }
}

/** The part of VS Code's `Memento` that is used here. */
export interface RemovalMemento {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** A container that a task created and has to remove. */
interface Pending {
  /** The address of its engine. */
  readonly engine: string;
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  /** Empty until the task has started it. */
  readonly startedAt: string;
  readonly onSuccess: boolean;
}

/** A container that an earlier window left behind. */
interface LeftBehind extends Pending {
  /** Whether the last inspect found it running. */
  wasRunning: boolean;
}

/** How long `noteStart` tries. */
export interface StartRetryOptions {
  /** Ends the retries. */
  readonly signal?: AbortSignal;
  /** Waits so many milliseconds; tests have their own. */
  readonly pause?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

/** An engine as the sweep needs it. */
export interface RemovalEngine {
  readonly inventory: {
    readonly phase: { readonly kind: string };
    readonly containers: ReadonlyMap<string, Container>;
  };
  readonly engine: {
    readonly endpoint: { readonly url: string } | undefined;
    connect(): Promise<Connection>;
  };
}

const KEY = 'gantry.taskRemovals';
/** The oldest entries are dropped when there are more. */
const MOST = 50;
/** Milliseconds between two tries to note a start: at first, and at most. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 15_000;

/**
 * Removes the containers that earlier windows left behind: at once if they have exited, the others after they exit.
 * Waits for the engine's container list. Does nothing if no containers were left behind.
 */
export function sweepPendingRemovals(
  engines: {
    readonly all: readonly RemovalEngine[];
    readonly onDidChangeInventory: Event<unknown>;
  },
  removals: PendingRemovals,
): Disposable {
  if (!removals.hasLeft) return { dispose: () => undefined };
  const subscription = engines.onDidChangeInventory(() => {
    for (const one of engines.all) void sweep(one, removals);
    if (!removals.hasLeft) subscription.dispose();
  });
  return subscription;
}

async function sweep(
  { inventory, engine }: RemovalEngine,
  removals: PendingRemovals,
): Promise<void> {
  const url = engine.endpoint?.url;
  if (inventory.phase.kind !== 'live' || url === undefined) return;
  await removals.sweep(
    url,
    () => engine.connect(),
    ({ id, wasRunning }) => {
      const row = inventory.containers.get(id);
      return !wasRunning || !row || !isUp(row);
    },
  );
}

/** A container that the user renamed or restarted is kept. */
function isUnchanged(one: Pending, { name, createdAt, startedAt }: ContainerDetails): boolean {
  return name === one.name && createdAt === one.createdAt && startedAt === one.startedAt;
}

/** Whether it has exited and its exit code is known, or it was never started. */
function hasExited(details: ContainerDetails): boolean {
  const { state, wasStarted } = details;
  if (state === 'created') return !wasStarted;
  return state === 'exited' && new ExitTracker().isKnown(details);
}

function readPending(kept: unknown): Pending | undefined {
  const wire = asRecord(kept);
  const pending: Pending = {
    engine: asText(wire['engine']),
    id: asText(wire['id']),
    name: asText(wire['name']),
    createdAt: asText(wire['createdAt']),
    startedAt: asText(wire['startedAt']),
    onSuccess: wire['onSuccess'] !== false,
  };
  const { engine, id, name, createdAt } = pending;
  return [engine, id, name, createdAt].includes('') ? undefined : pending;
}
