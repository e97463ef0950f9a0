import type { Connection } from '../engine/http/connection.ts';
import { isRefusal } from '../engine/errors.ts';
import { hasProcess } from '../engine/model.ts';
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
  /** The containers that are watched. */
  readonly #followed = new Map<string, Followed>();
  #sampler: { readonly connection: Connection; readonly sampler: Sampler } | undefined;
  #round: AbortController | undefined;
  /** How long the last round took. */
  #roundMs = 0;
  #timer: Disposable | undefined;
  /** No request is sent before: the engine has refused one. */
  #pausedUntil = 0;

  /** Fires with the IDs of containers that have a new reading, or whose reading has become old or no longer holds. */
  readonly onDidRead: Event<readonly string[]> = this.#reads.event;

  constructor(options: StatisticsOptions) {
    this.#options = options;
    this.#changes = this.#store.add(new PacedChanges(options.clock));
    this.#store.listen(this.#changes.onDidChange, (ids) => this.#reads.fire([...ids]));
    this.#store.listen(options.events.onDidRecord, ({ id, event }) => {
      // What is counted begins at zero again, and may have passed the last sample when it is read.
      if (event.action === 'start' || event.action === 'die') this.#forget(id);
    });
    this.#store.add(toDisposable(() => this.#rest()));
  }

  /** Reads containers again and again until disposed: now, and then at the interval of the looker. */
  watch(looker: Looker): Disposable {
    if (this.#store.isDisposed) return toDisposable(() => undefined);
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

  /** Returns the last reading of a container if it is of its current run, and is renewed as long as it is watched. */
  currentOf(id: string): Reading | undefined {
    return this.#followed.get(id)?.isCurrent === true ? this.latestOf(id) : undefined;
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
      const watched = this.#watched();
      for (const id of this.#followed.keys()) if (!watched.has(id)) this.#forget(id);
      this.#reportOld(watched.keys());
      void this.#read(watched);
    });
  }

  #rest(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#round?.abort();
    this.#sampler?.sampler.dispose();
    this.#sampler = undefined;
    // The last samples are kept: the view may be shown again in a moment.
    for (const [id, { last }] of this.#followed)
      this.#followed.set(id, { ...newlyFollowed(), last });
  }

  #forget(id: string): void {
    const wasCurrent = this.#followed.get(id)?.isCurrent === true;
    this.#followed.delete(id);
    if (wasCurrent) this.#changes.add(id);
  }

  #follow(id: string): Followed {
    const known = this.#followed.get(id) ?? newlyFollowed();
    this.#followed.set(id, known);
    return known;
  }

  async #read(watched: ReadonlyMap<string, number>): Promise<void> {
    const { inventory, engine, clock } = this.#options;
    const due = [...watched].filter(([id, interval]) => this.#isDue(id, interval));
    const isLive = inventory.phase.kind === 'live' && clock.now() >= this.#pausedUntil;
    if (this.#round || !isLive || (due.length === 0 && !this.#sampler)) return;
    const round = (this.#round = new AbortController());
    const startedAt = clock.now();
    try {
      const sampler = await this.#samplerOf(await engine.connect(round.signal), round.signal);
      const ids = due.map(([id]) => id);
      const askedAt = clock.now();
      for (const id of ids) {
        const followed = this.#follow(id);
        followed.askedAt = askedAt;
        followed.missed++;
        followed.hurries--;
      }
      const receive = (id: string, sample: Sample): void => {
        const asked = sampler.isFollowing === true ? undefined : askedAt;
        if (!round.signal.aborted) this.#receive(id, { at: clock.now(), askedAt: asked, sample });
      };
      await sampler.sample(ids, new Set(watched.keys()), receive, round.signal);
    } catch (error) {
      // The views report a lost connection.
      if (isRefusal(error)) this.#pausedUntil = clock.now() + REFUSED_MS;
      // It says nothing about a container.
      for (const [id] of due) this.#follow(id).missed = 0;
    } finally {
      this.#roundMs = clock.now() - startedAt;
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
        const container = this.#options.inventory.containers.get(id);
        if (!container || !hasProcess(container)) continue;
        watched.set(id, Math.min(interval, watched.get(id) ?? interval));
        if (watched.size >= MOST_WATCHED) return watched;
      }
    return watched;
  }

  #isDue(id: string, interval: number): boolean {
    const { askedAt, missed, hurries } = this.#followed.get(id) ?? newlyFollowed();
    if (askedAt === undefined) return true;
    const elapsedMs = this.#options.clock.now() - askedAt;
    // The first rate needs a second sample, for which the user waits.
    const usualMs = hurries > 0 ? TICK_MS : interval;
    const waitMs = missed >= MOST_TRIES ? REFUSED_MS : usualMs;
    return elapsedMs < 0 || elapsedMs >= waitMs - TICK_MS / 2;
  }

  #receive(id: string, received: ReceivedSample): void {
    const followed = this.#follow(id);
    const { last } = followed;
    // A slow engine needs long for all of them.
    const farMs = FAR_MS + this.#roundMs;
    const isNear = last && Math.abs(received.at - last.at) < farMs && isSameRun(last, received);
    const reading = toReading(received, isNear ? last : undefined);
    this.#histories.add(id, reading);
    const hurries = reading.cpuPercent === undefined ? followed.hurries : 0;
    Object.assign(followed, { last: received, missed: 0, hurries, isOld: false, isCurrent: true });
    this.#changes.add(id);
  }

  #reportOld(watched: Iterable<string>): void {
    for (const id of watched) {
      const followed = this.#followed.get(id);
      if (!followed?.isCurrent || followed.isOld || !this.isOld(id)) continue;
      followed.isOld = true;
      this.#changes.add(id);
    }
  }
}

/** What is known of a container that is watched. */
interface Followed {
  /** The last sample of its current run. */
  last: ReceivedSample | undefined;
  /** When it was asked for the last time. */
  askedAt: number | undefined;
  /** How often it was asked in vain since the last sample. */
  missed: number;
  /** How often it may still be asked before its interval is over, until it has a rate. */
  hurries: number;
  /** Whether its last reading was reported as old. */
  isOld: boolean;
  /** Whether its last reading is of its current run, and not of a time in which it was not watched. */
  isCurrent: boolean;
}

function newlyFollowed(): Followed {
  return {
    last: undefined,
    askedAt: undefined,
    missed: 0,
    hurries: MOST_TRIES,
    isOld: false,
    isCurrent: false,
  };
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
/** An engine that samples once a second may send the second sample after four. */
const MOST_TRIES = 5;
/** Time without requests after the engine has refused one. */
const REFUSED_MS = 30_000;
/** For all lookers together. */
const MOST_WATCHED = 100;

function markOf({ action, at, exitCode, health }: ContainerEvent): Mark | undefined {
  if (action === 'start') return { at, kind: 'started' };
  if (action === 'oom') return { at, kind: 'outOfMemory' };
  if (action === 'die') return { at, kind: 'exited', ...(exitCode !== undefined && { exitCode }) };
  return health === 'healthy' || health === 'unhealthy' ? { at, kind: health } : undefined;
}
