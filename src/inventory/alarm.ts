import type { Clock } from '../time.ts';

/** A sleep of one sleeper that can be cut short. */
export class Alarm {
  readonly #clock: Clock;
  #nap: AbortController | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves to whether the time is over (else somebody woke it); rejects when aborted. */
  async sleep(milliseconds: number, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    const nap = (this.#nap = new AbortController());
    const onAbort = (): void => {
      nap.abort();
    };
    signal.addEventListener('abort', onAbort);
    try {
      if (milliseconds === Infinity) await aborted(nap.signal);
      else await this.#clock.delay(milliseconds, nap.signal);
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
    // Once is enough: an abort makes an error each time, and events come by the thousand.
    this.#nap = undefined;
    nap?.abort();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
}
