/** Milliseconds of work in a row before everything else in the process has its turn. */
const LONGEST_TURN_MS = 10;

/** Keeps long work from holding up everything else: a stream that never runs dry would. */
export class EventLoopYielder {
  #since = performance.now();

  /** Resolves at once, or after everything else had its turn where the work has gone on for long. */
  async yieldIfDue(): Promise<void> {
    if (performance.now() - this.#since < LONGEST_TURN_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#since = performance.now();
  }
}
