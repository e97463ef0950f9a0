import type { Clock } from '../time.ts';
import type { Disposable } from '../lifetime.ts';

/** A timer that is set for one thing at a time. */
export class Timer implements Disposable {
  readonly #clock: Clock;
  #nap: AbortController | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isSet(): boolean {
    return this.#nap !== undefined;
  }

  /** Runs it after so many milliseconds; what was to be run before is not. */
  set(milliseconds: number, run: () => void): void {
    this.clear();
    const nap = (this.#nap = new AbortController());
    const ring = (): void => {
      // Cleared in the very moment it rang: then it did not.
      if (this.#nap !== nap) return;
      this.#nap = undefined;
      run();
    };
    // The clock rejects only when aborted, and then there is nothing to do.
    void this.#clock.delay(Math.max(0, milliseconds), nap.signal).then(ring, () => undefined);
  }

  clear(): void {
    const nap = this.#nap;
    this.#nap = undefined;
    nap?.abort();
  }

  dispose(): void {
    this.clear();
  }
}
