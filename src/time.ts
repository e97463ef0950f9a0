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
