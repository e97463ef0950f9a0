import { isDeepStrictEqual } from 'node:util';
import { EngineError, isConnectionFailure } from '../engine/errors.ts';
import type { Connection } from '../engine/http/connection.ts';
import { Emitter, toDisposable, type Disposable, type Event } from '../base/lifetime.ts';
import type { Clock } from '../base/time.ts';
import { backOff } from './backOff.ts';
import { ALL, Refresher } from './refresher.ts';

/**
 * A list of an engine that is kept up to date only while it is visible. Otherwise no request is sent, and
 * the entries are as of the last time.
 */
export class OnDemandList<Entry> implements Disposable {
  readonly #options: OnDemandListOptions<Entry>;
  readonly #entries = new Map<string, Entry>();
  /** By key. */
  readonly entries: ReadonlyMap<string, Entry> = this.#entries;
  readonly #changes = new Emitter<ReadonlySet<string>>();
  #state: OnDemandState = 'unknown';
  #lookers = 0;
  #isStale = true;
  /** Of the current session. */
  #refresher: Refresher | undefined;
  #failures = 0;

  /** Fires with the keys of modified, new and removed entries; with none if only the state has changed. */
  readonly onDidChange: Event<ReadonlySet<string>> = this.#changes.event;

  constructor(options: OnDemandListOptions<Entry>) {
    this.#options = options;
  }

  get state(): OnDemandState {
    return this.#state;
  }

  /** Keeps the list up to date until disposed. */
  look(): Disposable {
    this.#lookers++;
    if (this.#isStale) this.#refresher?.mark(ALL, 0);
    return toDisposable(() => this.#lookers--);
  }

  /** Marks that the list may have changed. */
  markStale(): void {
    this.#isStale = true;
    if (this.#lookers > 0) this.#refresher?.mark(ALL);
  }

  /** Requests the list now if it is visible, because the user is waiting. */
  renew(): void {
    this.#isStale = true;
    if (this.#lookers > 0) this.#refresher?.renew();
  }

  /** Forgets the entries: it may be another engine now. */
  clear(): void {
    this.#isStale = true;
    this.replace([], 'unknown');
  }

  /** Applies a complete list. */
  replace(entries: readonly Entry[], state: OnDemandState = 'listed'): void {
    const gone = new Set(this.#entries.keys());
    const changed = new Set<string>();
    for (const entry of entries) {
      const key = this.#options.keyOf(entry);
      gone.delete(key);
      if (isDeepStrictEqual(this.#entries.get(key), entry)) continue;
      this.#entries.set(key, entry);
      changed.add(key);
    }
    for (const key of gone) {
      this.#entries.delete(key);
      changed.add(key);
    }
    const isSame = this.#state === state && changed.size === 0;
    this.#state = state;
    if (!isSame) this.#changes.fire(changed);
  }

  /** Keeps the list up to date over a connection until aborted or the engine is gone; rejects with the reason. */
  async run(connection: Connection, parts: RunOptions, signal: AbortSignal): Promise<never> {
    const refresher = new Refresher(parts.clock, () => this.#refresh(connection, parts, signal));
    this.#refresher = refresher;
    if (this.#isStale && this.#lookers > 0) refresher.mark(ALL, 0);
    try {
      return await refresher.run(signal);
    } finally {
      if (this.#refresher === refresher) this.#refresher = undefined;
    }
  }

  dispose(): void {
    this.#changes.dispose();
  }

  async #refresh(
    connection: Connection,
    { random }: RunOptions,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    // Nobody looks any more: the list is requested the next time.
    if (this.#lookers === 0) return undefined;
    this.#isStale = false;
    try {
      const entries = await this.#options.list(connection, { isPatient: true }, signal);
      signal.throwIfAborted();
      this.#failures = 0;
      this.replace(entries);
      return undefined;
    } catch (error) {
      this.#isStale = true;
      const isTheirs = error instanceof EngineError && !isConnectionFailure(error);
      if (signal.aborted || !isTheirs) throw error;
      this.#state = error;
      this.#changes.fire(new Set());
      return backOff(this.#failures++, 'far', 0, random());
    }
  }
}

/** State of the entries; an error if the engine refuses the last request. */
export type OnDemandState = 'unknown' | 'listed' | EngineError;

interface OnDemandListOptions<Entry> {
  readonly keyOf: (entry: Entry) => string;
  readonly list: (
    connection: Connection,
    options: { readonly isPatient: boolean },
    signal: AbortSignal,
  ) => Promise<readonly Entry[]>;
}

interface RunOptions {
  readonly clock: Clock;
  /** Returns a number between 0 and 1, for the jitter. */
  readonly random: () => number;
}
