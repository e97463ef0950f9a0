import type { Disposable } from '../lifetime.ts';

/** Paints at once, then at most once in an interval; what came meanwhile is painted at its end. */
export class Throttle implements Disposable {
  readonly #paint: () => void;
  readonly #intervalMs: number;
  readonly #later: Scheduler;
  #rest: Disposable | undefined;
  #isDirty = false;
  #isDisposed = false;

  constructor(paint: () => void, intervalMs: number, later: Scheduler = afterTimeout) {
    this.#paint = paint;
    this.#intervalMs = intervalMs;
    this.#later = later;
  }

  /** Something changed. */
  request(): void {
    if (this.#isDisposed) return;
    this.#isDirty = true;
    if (!this.#rest) this.#run();
  }

  /** Paints what is still unpainted, and nothing more after that. */
  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#rest?.dispose();
    if (this.#isDirty) this.#paint();
  }

  #run(): void {
    this.#rest = undefined;
    if (!this.#isDirty) return;
    this.#isDirty = false;
    this.#paint();
    this.#rest = this.#later(() => {
      this.#run();
    }, this.#intervalMs);
  }
}

/** Runs something later; disposing what comes back calls it off. */
export type Scheduler = (run: () => void, milliseconds: number) => Disposable;

function afterTimeout(run: () => void, milliseconds: number): Disposable {
  const timer = setTimeout(run, milliseconds);
  return {
    dispose: () => {
      clearTimeout(timer);
    },
  };
}
