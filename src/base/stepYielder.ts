import { yieldToEventLoop } from './time.ts';

/**
 * Lets other work run during a loop over data of others, after a number of steps: the same on a slow machine, and also
 * if one round of the loop has many.
 */
export class StepYielder {
  readonly #signal: AbortSignal;
  readonly #most: number;
  #steps = 0;

  /** @param most how many steps may be taken without yielding. A step takes some nanoseconds. */
  constructor(signal: AbortSignal, most = 100_000) {
    this.#signal = signal;
    this.#most = most;
  }

  count(steps: number): void {
    this.#steps += steps;
  }

  /** Whether to await {@link rest} before the next step. */
  get isDue(): boolean {
    return this.#steps >= this.#most;
  }

  /** Resolves after {@link yieldToEventLoop}. Rejects with the reason of the signal. */
  async rest(): Promise<void> {
    this.#steps = 0;
    await yieldToEventLoop();
    this.#signal.throwIfAborted();
  }
}
