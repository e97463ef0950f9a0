import type { Disposable } from '../../lifetime.ts';
import type { Clock } from '../../time.ts';

/** Does something soon after it was asked for, and never more often than once in a while. */
export class Coalescer implements Disposable {
  readonly #clock: Clock;
  readonly #pauseMs: () => number;
  readonly #run: () => void;
  #timer: Disposable | undefined;
  #lastAt = -Infinity;
  #isDisposed = false;

  /** @param pauseMs milliseconds between two runs, at least; a function says it anew for each. */
  constructor(clock: Clock, pauseMs: number | (() => number), run: () => void) {
    this.#clock = clock;
    this.#pauseMs = typeof pauseMs === 'number' ? () => pauseMs : pauseMs;
    this.#run = run;
  }

  /** Asks for a run: the first at once, later ones when their time has come. */
  request(): void {
    if (this.#timer || this.#isDisposed) return;
    const wait = this.#lastAt + this.#pauseMs() - this.#clock.now();
    if (wait <= 0) this.flush();
    else {
      this.#timer = this.#clock.after(wait, () => {
        this.flush();
      });
    }
  }

  /** Runs now. */
  flush(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#lastAt = this.#clock.now();
    this.#run();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#timer?.dispose();
  }
}
