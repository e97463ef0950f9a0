/** Clocks and what waits for them. All times are in milliseconds. */

import { abortReason, toDisposable, type Disposable } from './lifetime.ts';

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
