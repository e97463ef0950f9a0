import type { ChangeLatch } from './changeLatch.ts';

const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [250, 5000];

type Pause = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** Waits between tries to read a container's log, longer each time; a change of the container ends a wait early. */
export class Patience {
  readonly #latch: ChangeLatch;
  readonly #pause: Pause;
  #pauseMs = FIRST_PAUSE_MS;

  /** @param pause waits so many milliseconds; rejects with the signal's reason */
  constructor(latch: ChangeLatch, pause: Pause) {
    this.#latch = latch;
    this.#pause = pause;
  }

  /** A try has succeeded: the next wait is short again. */
  renew(): void {
    this.#pauseMs = FIRST_PAUSE_MS;
  }

  /** Resolves after the pause or at a change; rejects with the signal's reason. */
  async wait(signal: AbortSignal): Promise<void> {
    const early = new AbortController();
    const either = AbortSignal.any([early.signal, signal]);
    const waits = [this.#pause(this.#pauseMs, either), this.#latch.next(either)];
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
    try {
      await Promise.race(waits);
    } finally {
      early.abort();
      await Promise.allSettled(waits);
    }
  }
}
