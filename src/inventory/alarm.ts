import type { Clock } from '../base/time.ts';

/** A cancelable sleep of one sleeper. */
export class Alarm {
  readonly #clock: Clock;
  #nap: AbortController | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves to true if the time has passed, to false if {@link wake} was called. Rejects if aborted. */
  async sleep(milliseconds: number, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    const nap = (this.#nap = new AbortController());
    const onAbort = (): void => nap.abort();
    signal.addEventListener('abort', onAbort);
    try {
      if (milliseconds < Infinity) await this.#clock.delay(milliseconds, nap.signal);
      else await new Promise((resolve) => nap.signal.addEventListener('abort', resolve));
    } catch (error) {
      if (!nap.signal.aborted) throw error;
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#nap = undefined;
    }
    signal.throwIfAborted();
    return !nap.signal.aborted;
  }

  wake(): void {
    const nap = this.#nap;
    // Abort only once: each abort creates an error, and events may come by the thousand.
    this.#nap = undefined;
    nap?.abort();
  }
}
