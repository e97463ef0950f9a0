/** Clocks, timers, time limits and the order of work. All times are in milliseconds. */

import { abortReason, Emitter, toDisposable, type Disposable, type Event } from './lifetime.ts';

/** A source of time that tests can replace. */
export interface Clock {
  /** Returns the milliseconds since a fixed moment, which differs between clocks. */
  now(): number;
  /** Resolves after the given time. Rejects with the signal's reason if the signal is aborted first. */
  delay(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Calls `run` once after the given time, unless disposed before. Does not keep the process alive. */
  after(milliseconds: number, run: () => void): Disposable;
}

/** Resolves after `milliseconds`. Rejects with the signal's reason if the signal is aborted first. */
export function delay(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(abortReason(signal));
      return;
    }
    const onAbort = (): void => {
      clearTimeout(timer);
      if (signal) reject(abortReason(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

function after(milliseconds: number, run: () => void): Disposable {
  const timer = setTimeout(run, milliseconds);
  timer.unref();
  return toDisposable(() => clearTimeout(timer));
}

/** Milliseconds since 1970. Jumps if the system time is changed. */
export const wallClock: Clock = { now: Date.now, delay, after };

/** Milliseconds since the process started. Never goes back, and may stop while the machine sleeps. */
export const monotonicClock: Clock = { now: () => performance.now(), delay, after };

/** Runs a function soon after it is requested, but at most once per pause. */
export class Throttle implements Disposable {
  readonly #clock: Clock;
  readonly #pauseMs: () => number;
  readonly #run: () => void;
  #timer: Disposable | undefined;
  #dueAt = Infinity;
  #lastAt = -Infinity;
  #isDisposed = false;

  /** @param pauseMs minimum time between two runs; a function is called at each request. */
  constructor(clock: Clock, pauseMs: number | (() => number), run: () => void) {
    this.#clock = clock;
    this.#pauseMs = typeof pauseMs === 'number' ? () => pauseMs : pauseMs;
    this.#run = run;
  }

  /**
   * Requests a run: now if the last run is at least a pause ago, otherwise as soon as it is.
   *
   * @param canWait never run immediately, but after one pause at the latest.
   */
  request(canWait = false): void {
    const pauseMs = this.#pauseMs();
    const soonest = this.#lastAt + pauseMs;
    if (this.#isDisposed || (this.#timer && this.#dueAt <= soonest)) return;
    const now = this.#clock.now();
    // At most one pause from now, in case the clock was set back.
    const dueAt = canWait ? now + pauseMs : Math.min(soonest, now + pauseMs);
    if (this.#timer && this.#dueAt <= dueAt) return;
    if (dueAt <= now) this.flush();
    else this.#set(dueAt, dueAt - now);
  }

  /** Runs now. */
  flush(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#lastAt = this.#clock.now();
    this.#run();
  }

  /** Runs now if a run is pending, then disposes the throttle. */
  finish(): void {
    if (this.#timer) this.flush();
    this.dispose();
  }

  /** Cancels a pending run. Later requests are ignored. */
  dispose(): void {
    this.#isDisposed = true;
    this.#timer?.dispose();
    this.#timer = undefined;
  }

  #set(dueAt: number, waitMs: number): void {
    this.#timer?.dispose();
    this.#dueAt = dueAt;
    this.#timer = this.#clock.after(waitMs, () => this.flush());
  }
}

/** Minimum time between two updates of a view. More than ten per second cannot be read. */
export const PAINT_MS = 120;

/** Fires with everything that has changed: at most ten times per second. */
export class PacedChanges<T> implements Disposable {
  readonly #changes = new Emitter<ReadonlySet<T>>();
  readonly #throttle: Throttle;
  #changed = new Set<T>();

  readonly onDidChange: Event<ReadonlySet<T>> = this.#changes.event;

  constructor(clock: Clock) {
    this.#throttle = new Throttle(clock, PAINT_MS, () => {
      const changed = this.#changed;
      this.#changed = new Set();
      this.#changes.fire(changed);
    });
  }

  add(changed: T): void {
    this.#changed.add(changed);
    this.#throttle.request();
  }

  /** Fires what is pending. */
  dispose(): void {
    this.#throttle.finish();
    this.#changes.dispose();
  }
}

/**
 * Resolves to what `find` returns as soon as it is defined: checks now and after each event. Resolves to
 * undefined after `limit` milliseconds, or if aborted.
 */
export function whenFound<T>(
  find: () => T | undefined,
  onDidChange: Event<unknown>,
  options: { readonly clock: Clock; readonly limit: number; readonly signal?: AbortSignal },
): Promise<T | undefined> {
  const found = find();
  if (found !== undefined || options.signal?.aborted) return Promise.resolve(found);
  return new Promise((resolve) => {
    const end = (value: T | undefined): void => {
      timer.dispose();
      subscription.dispose();
      options.signal?.removeEventListener('abort', onAbort);
      resolve(value);
    };
    const onAbort = (): void => end(undefined);
    const subscription = onDidChange(() => {
      const value = find();
      if (value !== undefined) end(value);
    });
    options.signal?.addEventListener('abort', onAbort);
    const timer = options.clock.after(options.limit, onAbort);
  });
}

/**
 * Runs work with a time limit.
 *
 * @param limitMs 0 for no limit.
 * @param late creates the reason that the work is aborted with after the limit.
 * @param run gets a signal that is aborted after the limit or with `signal`.
 */
export async function withTimeout<T>(
  limitMs: number,
  late: () => Error,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const stop = (): void => controller.abort(signal && abortReason(signal));
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop, { once: true });
  const expire = (): void => controller.abort(late());
  const timer = limitMs === 0 ? undefined : setTimeout(expire, Math.min(limitMs, LONGEST_TIMER));
  try {
    return await run(controller.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

/** The longest delay of a timer in milliseconds: a longer one would fire immediately. */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Waits for work until a time limit. The work itself is not canceled.
 *
 * @returns what `work` resolves to; undefined if that takes longer than `limitMs`.
 * @throws what `work` rejects with; the signal's reason if aborted first.
 */
export async function settledWithin<T>(
  limitMs: number,
  work: Promise<T>,
  {
    clock = monotonicClock,
    signal,
  }: { readonly clock?: Clock; readonly signal?: AbortSignal } = {},
): Promise<T | undefined> {
  const done = new AbortController();
  const either = signal ? AbortSignal.any([signal, done.signal]) : done.signal;
  const late = clock.delay(limitMs, either).then(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
  }
}

/** Does work one after the other, in the order in which it was added. */
export class WorkQueue {
  readonly #stopsAtFailure: boolean;
  #last: Promise<unknown> = Promise.resolve();

  /** @param stopsAtFailure whether work does not begin, and rejects alike, once other work has failed. */
  constructor(stopsAtFailure = false) {
    this.#stopsAtFailure = stopsAtFailure;
  }

  /** Resolves or rejects as `work` does. */
  add<T>(work: () => T | Promise<T>): Promise<T> {
    const added = this.#last.then(work);
    this.#last = this.#stopsAtFailure ? added : added.catch(() => undefined);
    return added;
  }
}

/** Resolves in the next iteration of the event loop, after other pending work. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Lets other work run during a long loop, for example over a stream that always has data. */
export class EventLoopYielder {
  readonly #sliceMs: number;
  readonly #clock: Clock;
  #since: number;

  /** @param sliceMs how long work may run without yielding. */
  constructor(sliceMs = 10, clock: Clock = monotonicClock) {
    this.#sliceMs = sliceMs;
    this.#clock = clock;
    this.#since = clock.now();
  }

  /** Resolves immediately, or after {@link yieldToEventLoop} if the current slice is used up. */
  async yieldIfDue(): Promise<void> {
    if (this.#clock.now() - this.#since < this.#sliceMs) return;
    await yieldToEventLoop();
    this.#since = this.#clock.now();
  }
}

/** Back-off: returns the pause before the next try, twice the last one, limited to `firstMs` … `longestMs`. */
export function nextPause(pauseMs: number, firstMs: number, longestMs: number): number {
  return Math.min(Math.max(pauseMs * 2, firstMs), longestMs);
}
