import { readFileSync } from 'node:fs';

/**
 * Measures the longest uninterrupted work of the main thread, in its CPU time, which a busy machine does not
 * lengthen.
 */
export class Pulse {
  #isOn = false;
  #longest = 0;

  start(): void {
    this.#isOn = true;
    this.#longest = 0;
    let before = threadMs();
    const beat = (): void => {
      const now = threadMs();
      this.#longest = Math.max(this.#longest, now - before);
      before = now;
      if (this.#isOn) setTimeout(beat, 1);
    };
    beat();
  }

  /** Stops and returns the longest work in milliseconds. */
  stop(): number {
    this.#isOn = false;
    return this.#longest;
  }
}

function threadMs(): number {
  const [nanoseconds] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}
