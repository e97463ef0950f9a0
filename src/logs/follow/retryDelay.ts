import { nextPause, type Clock } from '../../time.ts';
import type { ChangeLatch } from './changeLatch.ts';

const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [250, 5000];

/** Waits between tries to read a container's log, longer each time; a change of the container ends a wait early. */
export class RetryDelay {
  readonly #latch: ChangeLatch;
  readonly #pause: Clock['delay'];
  #pauseMs = FIRST_PAUSE_MS;
  #isRenewed = true;

  /** @param pause waits so many milliseconds; rejects with the signal's reason */
  constructor(latch: ChangeLatch, pause: Clock['delay']) {
    this.#latch = latch;
    this.#pause = pause;
  }

  /** A try has succeeded: the next wait is short again. */
  renew(): void {
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#isRenewed = true;
  }

  /** Resolves at once the first time after a success, else as {@link wait}. */
  async retry(signal: AbortSignal): Promise<void> {
    if (!this.#isRenewed) await this.wait(signal);
    this.#isRenewed = false;
  }

  /**
   * Resolves after the pause or at a change; rejects with the signal's reason.
   *
   * @param longest how long the pause becomes at most, in milliseconds
   */
  async wait(signal: AbortSignal, longest = LONGEST_PAUSE_MS): Promise<void> {
    const early = new AbortController();
    const either = AbortSignal.any([early.signal, signal]);
    const pauseMs = Math.min(this.#pauseMs, longest);
    const waits = [this.#pause(pauseMs, either), this.#latch.next(either)];
    this.#pauseMs = nextPause(pauseMs, FIRST_PAUSE_MS, longest);
    try {
      await Promise.race(waits);
    } finally {
      early.abort();
      await Promise.allSettled(waits);
    }
  }
}
