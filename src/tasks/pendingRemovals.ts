/** Containers that tasks still have to remove, stored in case the window closes first. */

import type { Connection } from '../engine/http/connection.ts';
import type { ContainerDetails } from '../engine/containers/containerDetails.ts';
import { inspectContainer } from '../engine/containers/containers.ts';
import { removeContainer } from '../engine/containers/containerLifecycle.ts';
import { ExitTracker } from '../engine/containers/exitTracker.ts';
import { failedWith } from '../engine/errors.ts';
import { isInterruption } from '../engine/containers/reconnectingWait.ts';
import { isUp } from '../engine/model.ts';
import type { Connect } from '../engine/http/sameEngineOnly.ts';
import { asList, asRecord, asText } from '../engine/wire/wire.ts';
import type { KnownEngine, KnownEngines } from '../inventory/knownEngine.ts';
import type { Disposable, Memento } from '../base/lifetime.ts';
import { delay } from '../base/time.ts';
import { REMOVALS_KEY } from './removalsKey.ts';
import type { RemovePolicy } from './taskOptions.ts';

/**
 * Remembers the containers that tasks have to remove, from creation to removal. If the window closes first,
 * the next window removes the container after it has exited. Running containers are not stopped.
 */
export class PendingRemovals {
  readonly #memento: Memento;
  readonly #leftBehind: Map<string, LeftBehind>;
  /** The inspects and removals in progress, by container ID. */
  readonly #inProgress = new Map<string, Promise<void>>();

  constructor(memory: Memento) {
    this.#memento = memory;
    this.#leftBehind = new Map(this.#all().map((one) => [one.id, { ...one, wasRunning: false }]));
  }

  /** Whether there are containers of earlier windows to remove, on any engine. */
  get hasLeft(): boolean {
    return this.#leftBehind.size > 0;
  }

  /** Records a container that was created and has to be removed. Never rejects. */
  async add(connection: Connection, id: string, remove: RemovePolicy): Promise<void> {
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
   * Records when the task started a recorded container: any later start is not the task's. Retries while the
   * engine cannot be reached. Never rejects.
   */
  async recordStart(connect: Connect, id: string, retry: StartRetryOptions = {}): Promise<void> {
    const { signal, pause = delay } = retry;
    const isThis = (one: Pending): boolean => one.id === id;
    for (let pauseMs = FIRST_PAUSE_MS; this.#all().some(isThis); pauseMs *= 2) {
      try {
        const { startedAt } = await inspectContainer(await connect(signal), id);
        // The container may have been dropped during the inspect.
        this.#save(this.#all().map((one) => (isThis(one) ? { ...one, startedAt } : one)));
        return;
      } catch (error) {
        if (!isInterruption(error)) return;
      }
      await pause(Math.min(pauseMs, LONGEST_PAUSE_MS), signal).catch(() => undefined);
      if (signal?.aborted) return;
    }
  }

  /** Forgets a container that was removed or must be kept. */
  drop(id: string): void {
    this.#leftBehind.delete(id);
    const all = this.#all();
    const others = all.filter((one) => one.id !== id);
    if (others.length < all.length) this.#save(others);
  }

  /**
   * Removes the containers that earlier windows left behind on the engine at this address and that have exited. Sends
   * no request if there are none. Resolves after removals that another sweep has started. Never rejects.
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

  /** Like `sweep`, but only for the container with the name that a new container needs. */
  sweepName(
    name: string | undefined,
    url: string,
    connect: () => Promise<Connection>,
  ): Promise<void> {
    return this.sweep(url, connect, (one) => one.name === name);
  }

  /** Inspects the container, or waits for an inspect that is already in progress. */
  async #inspectOnce(one: LeftBehind, connection: Connection): Promise<void> {
    const { id } = one;
    const current = this.#inProgress.get(id);
    if (current) return current;
    if (!this.#leftBehind.has(id)) return;
    const work = this.#removeIfExited(one, connection).finally(() => this.#inProgress.delete(id));
    this.#inProgress.set(id, work);
    await work;
  }

  /** Containers whose state is unclear stay due. */
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
      // The engine would refuse again after every change. The next window tries again.
      if (failedWith(error, 'conflict', 'failed')) this.#leftBehind.delete(id);
      else throw error;
    }
  }

  #all(): readonly Pending[] {
    return asList(this.#memento.get(REMOVALS_KEY)).flatMap((kept) => readPending(kept) ?? []);
  }

  #save(all: readonly Pending[]): void {
    // Rejects while the window closes. The next window then finds that the container is gone.
    this.#memento.update(REMOVALS_KEY, all).then(undefined, () => undefined);
  }
}

/** A container that a task created and has to remove. */
interface Pending {
  /** The address of its engine. */
  readonly engine: string;
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  /** Empty until the task has started the container. */
  readonly startedAt: string;
  readonly onSuccess: boolean;
}

/** A container that an earlier window left behind. */
interface LeftBehind extends Pending {
  /** Whether the container was running at the last inspect. */
  wasRunning: boolean;
}

interface StartRetryOptions {
  /** Ends the retries. */
  readonly signal?: AbortSignal;
  /** Waits for some milliseconds; tests replace it. */
  readonly pause?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

/** Maximum number of entries. The oldest are dropped. */
const MOST = 50;
/** Milliseconds between two attempts to note a start: first and longest. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 15_000;

/**
 * Removes the containers that earlier windows left behind: now if they have exited, otherwise after they
 * exit. Waits for the engine's container list. Does nothing if no containers were left behind.
 */
export function sweepPendingRemovals(engines: KnownEngines, removals: PendingRemovals): Disposable {
  if (!removals.hasLeft) return { dispose: () => undefined };
  const sweepAll = (): void => {
    for (const one of engines.all) void sweep(one, removals);
    if (!removals.hasLeft) subscription.dispose();
  };
  const subscription = engines.onDidChangeInventory(sweepAll);
  // This is loaded late: the engines may have listed their containers already.
  sweepAll();
  return subscription;
}

async function sweep({ inventory, engine }: KnownEngine, removals: PendingRemovals): Promise<void> {
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

/** Whether the container is as the task left it. One that the user renamed or restarted is kept. */
function isUnchanged(one: Pending, { name, createdAt, startedAt }: ContainerDetails): boolean {
  return name === one.name && createdAt === one.createdAt && startedAt === one.startedAt;
}

/** Whether the container has exited with a known exit code, or was never started. */
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
