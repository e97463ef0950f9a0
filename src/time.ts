/** Clocks and what waits for them. All times are in milliseconds. */

import { abortReason, toDisposable, type Disposable, type Event } from './lifetime.ts';

/** Where time comes from, so that tests can bring their own. */
export interface Clock {
  /** Milliseconds since a fixed moment, which each clock has its own of. */
  now(): number;
  /** Resolves after so many milliseconds; rejects with the signal's reason if aborted first. */
  delay(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Calls back once after so many milliseconds, unless disposed before. Keeps no process alive. */
  after(milliseconds: number, run: () => void): Disposable;
}

/** Resolves after `milliseconds`; rejects with the signal's reason if aborted first. */
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
  return toDisposable(() => {
    clearTimeout(timer);
  });
}

/** Counts from 1970. It jumps if the time of the machine is set. */
export const wallClock: Clock = { now: Date.now, delay, after };

/** Counts from the start of the process. It never goes back, and may stand still while the machine sleeps. */
export const monotonicClock: Clock = { now: () => performance.now(), delay, after };

/** Runs something soon after it was requested, and no more often than once in a pause. */
export class Throttle implements Disposable {
  readonly #clock: Clock;
  readonly #pauseMs: () => number;
  readonly #run: () => void;
  #timer: Disposable | undefined;
  #dueAt = Infinity;
  #lastAt = -Infinity;
  #isDisposed = false;

  /** @param pauseMs at least so long between two runs; a function is asked at each request. */
  constructor(clock: Clock, pauseMs: number | (() => number), run: () => void) {
    this.#clock = clock;
    this.#pauseMs = typeof pauseMs === 'number' ? () => pauseMs : pauseMs;
    this.#run = run;
  }

  /**
   * Requests a run: at once if the last one is a pause ago, else when it is.
   *
   * @param canWait not at once in any case, but a pause from now at the latest.
   */
  request(canWait = false): void {
    const pauseMs = this.#pauseMs();
    const soonest = this.#lastAt + pauseMs;
    if (this.#isDisposed || (this.#timer && this.#dueAt <= soonest)) return;
    const now = this.#clock.now();
    // Not more than a pause, should the clock have been set back.
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

  /** Ends it, after the run that is still to come. */
  finish(): void {
    if (this.#timer) this.flush();
    this.dispose();
  }

  /** Ends it without another run. */
  dispose(): void {
    this.#isDisposed = true;
    this.#timer?.dispose();
    this.#timer = undefined;
  }

  #set(dueAt: number, waitMs: number): void {
    this.#timer?.dispose();
    this.#dueAt = dueAt;
    this.#timer = this.#clock.after(waitMs, () => {
      this.flush();
    });
  }
}

/**
 * Resolves as soon as `find` finds something, asked now and after each event; to undefined after so many
 * milliseconds, or when aborted.
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
    const onAbort = (): void => {
      end(undefined);
    };
    const subscription = onDidChange(() => {
      const value = find();
      if (value !== undefined) end(value);
    });
    options.signal?.addEventListener('abort', onAbort);
    const timer = options.clock.after(options.limit, onAbort);
  });
}

/**
 * Runs work that has to end within a time limit.
 *
 * @param limitMs 0 for none.
 * @param late the reason that the work is aborted with past the limit.
 * @param run gets a signal that is aborted past the limit and with `signal`.
 */
export async function withTimeout<T>(
  limitMs: number,
  late: () => Error,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const stop = (): void => {
    controller.abort(signal && abortReason(signal));
  };
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop, { once: true });
  const expire = (): void => {
    controller.abort(late());
  };
  const timer = limitMs === 0 ? undefined : setTimeout(expire, Math.min(limitMs, LONGEST_TIMER));
  try {
    return await run(controller.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

/** Past this many milliseconds a timer would fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Waits for work as long as a limit allows. The work itself goes on.
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
  }: { readonly clock?: Clock; readonly signal?: AbortSignal | undefined } = {},
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

/** Resolves after everything else in the process has had its turn. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Keeps long work from holding up everything else: a stream that never runs dry would. */
export class EventLoopYielder {
  readonly #sliceMs: number;
  readonly #clock: Clock;
  #since: number;

  /** @param sliceMs so long work goes on in a row. */
  constructor(sliceMs = 10, clock: Clock = monotonicClock) {
    this.#sliceMs = sliceMs;
    this.#clock = clock;
    this.#since = clock.now();
  }

  /** Resolves at once, or after {@link yieldToEventLoop} if the work has gone on for long. */
  async yieldIfDue(): Promise<void> {
    if (this.#clock.now() - this.#since < this.#sliceMs) return;
    await yieldToEventLoop();
    this.#since = this.#clock.now();
  }
}

/** Back-off: the pause before the next try, which is twice the last one within bounds. */
export function nextPause(pauseMs: number, firstMs: number, longestMs: number): number {
  return Math.min(Math.max(pauseMs * 2, firstMs), longestMs);
}
