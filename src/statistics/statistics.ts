import type { Connection } from '../engine/http/connection.ts';
import { isRefusal } from '../engine/errors.ts';
import type { Container } from '../engine/model.ts';
import type { Sample } from '../engine/statistics/readSample.ts';
import {
  DisposableStore,
  Emitter,
  toDisposable,
  type Disposable,
  type Event,
} from '../base/lifetime.ts';
import { PacedChanges, type Clock } from '../base/time.ts';
import type { Inventory } from '../inventory/inventory.ts';
import type { ContainerEvent, EventRing } from '../inventory/runs/eventRing.ts';
import { Histories } from './histories.ts';
import type { Mark, Reading } from './reading.ts';
import { openSampler, type Sampler } from './sampler.ts';
import { isSameRun, toReading, type ReceivedSample } from './toReading.ts';

/** The statistics of the containers of one engine. Sends no request while nobody watches. */
export class Statistics implements Disposable {
  readonly #options: StatisticsOptions;
  readonly #store = new DisposableStore();
  readonly #changes: PacedChanges<string>;
  readonly #reads = this.#store.add(new Emitter<readonly string[]>());
  readonly #lookers = new Set<Looker>();
  readonly #histories = new Histories();
  /** The last sample of the current run of each container that is watched. */
  readonly #last = new Map<string, ReceivedSample>();
  /** When each container was asked for the last time. */
  readonly #askedAt = new Map<string, number>();
  /** Those whose last reading was reported as old. */
  readonly #old = new Set<string>();
  #sampler: { readonly connection: Connection; readonly sampler: Sampler } | undefined;
  #round: AbortController | undefined;
  #timer: Disposable | undefined;
  /** No request is sent before: the engine has refused one. */
  #pausedUntil = 0;

  /** Fires with the IDs of containers that have a new reading, or whose reading has become old. */
  readonly onDidRead: Event<readonly string[]> = this.#reads.event;

  constructor(options: StatisticsOptions) {
    this.#options = options;
    this.#changes = this.#store.add(new PacedChanges(options.clock));
    this.#store.listen(this.#changes.onDidChange, (ids) => this.#reads.fire([...ids]));
    this.#store.listen(options.events.onDidRecord, ({ id, event }) => {
      // What is counted begins at zero again, and may have passed the last sample when it is read.
      if (event.action === 'start' || event.action === 'die') this.#last.delete(id);
    });
    this.#store.add(toDisposable(() => this.#rest()));
  }

  /** Reads containers again and again until disposed: now, and then at the interval of the looker. */
  watch(looker: Looker): Disposable {
    this.#lookers.add(looker);
    this.#plan(0);
    return toDisposable(() => {
      this.#lookers.delete(looker);
      if (this.#lookers.size === 0) this.#rest();
    });
  }

  /** Returns the last reading of a container by its full ID. */
  latestOf(id: string): Reading | undefined {
    return this.#histories.of(id).at(-1);
  }

  /** Whether the last reading is older than it should be: the engine is slow or gone. */
  isOld(id: string): boolean {
    const latest = this.latestOf(id);
    return latest !== undefined && this.#options.clock.now() - latest.at > OLD_MS;
  }

  /** Returns the readings of the last hour, the oldest first, also of a container that is gone. */
  historyOf(id: string): readonly Reading[] {
    return this.#histories.of(id);
  }

  /** Returns what happened to a container, the oldest first, also to one that is gone. */
  marksOf(id: string): readonly Mark[] {
    const marks = this.#options.events.eventsOf(id).flatMap((event) => markOf(event) ?? []);
    const last = marks.findLastIndex(({ kind }) => kind === 'exited');
    // Not every engine has an event for it.
    if (!this.#options.inventory.outOfMemory.has(id)) return marks;
    return marks.map((mark, at) => (at === last ? { ...mark, kind: 'outOfMemory' } : mark));
  }

  dispose(): void {
    this.#store.dispose();
  }

  #plan(waitMs: number): void {
    this.#timer?.dispose();
    this.#timer = this.#options.clock.after(waitMs, () => {
      this.#plan(TICK_MS);
      this.#reportOld();
      void this.#read();
    });
  }

  #rest(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#round?.abort();
    this.#sampler?.sampler.dispose();
    this.#sampler = undefined;
    this.#askedAt.clear();
  }

  async #read(): Promise<void> {
    const { inventory, engine, clock } = this.#options;
    const watched = this.#watched();
    for (const id of this.#last.keys()) if (!watched.has(id)) this.#last.delete(id);
    const due = [...watched].filter(([id, interval]) => this.#isDue(id, interval));
    const isLive = inventory.phase.kind === 'live' && clock.now() >= this.#pausedUntil;
    if (this.#round || !isLive || (due.length === 0 && !this.#sampler)) return;
    const round = (this.#round = new AbortController());
    try {
      const sampler = await this.#samplerOf(await engine.connect(round.signal), round.signal);
      const ids = due.map(([id]) => id);
      for (const id of ids) this.#askedAt.set(id, clock.now());
      const receive = (id: string, sample: Sample): void => {
        if (!round.signal.aborted) this.#receive(id, sample);
      };
      await sampler.sample(ids, new Set(watched.keys()), receive, round.signal);
    } catch (error) {
      // The views report a lost connection.
      if (isRefusal(error)) this.#pausedUntil = clock.now() + REFUSED_MS;
    } finally {
      if (this.#round === round) this.#round = undefined;
    }
  }

  async #samplerOf(connection: Connection, signal: AbortSignal): Promise<Sampler> {
    if (this.#sampler?.connection === connection) return this.#sampler.sampler;
    this.#sampler?.sampler.dispose();
    this.#sampler = undefined;
    const { open = openSampler } = this.#options;
    const sampler = await open(connection, signal);
    signal.throwIfAborted();
    this.#sampler = { connection, sampler };
    return sampler;
  }

  /** Returns the shortest interval of each container that is to be read. */
  #watched(): ReadonlyMap<string, number> {
    const watched = new Map<string, number>();
    for (const { ids, interval } of this.#lookers)
      for (const id of ids()) {
        if (!isRunning(this.#options.inventory.containers.get(id))) continue;
        watched.set(id, Math.min(interval, watched.get(id) ?? interval));
        if (watched.size >= MOST_WATCHED) return watched;
      }
    return watched;
  }

  #isDue(id: string, interval: number): boolean {
    const askedAt = this.#askedAt.get(id);
    if (askedAt === undefined) return true;
    const elapsedMs = this.#options.clock.now() - askedAt;
    // The first rate needs a second sample, for which the user waits.
    const waitMs = this.latestOf(id)?.cpuPercent === undefined ? TICK_MS : interval;
    return elapsedMs < 0 || elapsedMs >= waitMs - TICK_MS / 2;
  }

  #receive(id: string, sample: Sample): void {
    const received = { at: this.#options.clock.now(), sample };
    const last = this.#last.get(id);
    const isNear = last && Math.abs(received.at - last.at) < FAR_MS && isSameRun(last, received);
    this.#last.set(id, received);
    this.#histories.add(id, toReading(received, isNear ? last : undefined));
    this.#old.delete(id);
    this.#changes.add(id);
  }

  #reportOld(): void {
    for (const id of this.#watched().keys()) {
      if (this.#old.has(id) || !this.isOld(id)) continue;
      this.#old.add(id);
      this.#changes.add(id);
    }
  }
}

/** Somebody who wants readings. */
export interface Looker {
  /** Returns the full IDs of the containers. Those that do not run are left out. */
  readonly ids: () => Iterable<string>;
  /** In milliseconds. */
  readonly interval: number;
}

interface StatisticsOptions {
  readonly engine: { connect(signal?: AbortSignal): Promise<Connection> };
  readonly inventory: Pick<Inventory, 'containers' | 'phase' | 'outOfMemory'>;
  readonly events: Pick<EventRing, 'eventsOf' | 'onDidRecord'>;
  /** Milliseconds since 1970. */
  readonly clock: Clock;
  /** How containers are sampled; by default as the engine can do it best. */
  readonly open?: typeof openSampler;
}

/** How often is looked what is due. */
const TICK_MS = 1000;
/** Age at which a reading counts as old: three times the longest interval. */
const OLD_MS = 15_000;
/** Time between two samples from which on their difference says nothing about now. */
const FAR_MS = 30_000;
/** Time without requests after the engine has refused one. */
const REFUSED_MS = 30_000;
/** For all lookers together. */
const MOST_WATCHED = 100;

function isRunning(container: Container | undefined): boolean {
  return container?.state === 'running' || container?.state === 'paused';
}

function markOf({ action, at, exitCode, health }: ContainerEvent): Mark | undefined {
  if (action === 'start') return { at, kind: 'started' };
  if (action === 'oom') return { at, kind: 'outOfMemory' };
  if (action === 'die') return { at, kind: 'exited', ...(exitCode !== undefined && { exitCode }) };
  return health === 'healthy' || health === 'unhealthy' ? { at, kind: health } : undefined;
}
