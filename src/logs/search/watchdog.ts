import type { Disposable } from '../../lifetime.ts';
import { HEARTBEAT } from './workerMessages.ts';

/** Looks so often, in milliseconds, while there is work. */
const TICK = 250;

/** Looks whether a worker makes progress, for as long as it has work. */
export class Watchdog implements Disposable {
  readonly heartbeat = new SharedArrayBuffer(8);
  readonly #counters = new Int32Array(this.heartbeat);
  readonly #timeoutMs: number;
  readonly #onHang: (job: number) => void;
  #timer: NodeJS.Timeout | undefined;
  #lastProgress = -1;
  /** Looks without progress, at work and at rest. */
  #still = 0;
  #idle = 0;

  /**
   * @param patience in milliseconds. Counted in looks, so that a sleep of the machine is no hang.
   * @param onHang is told the job at which the worker hangs.
   */
  constructor(patience: number, onHang: (job: number) => void) {
    this.#timeoutMs = patience;
    this.#onHang = onHang;
  }

  /** The worker has been given something to do. */
  start(): void {
    this.#idle = 0;
    this.#timer ??= setInterval(() => {
      this.#check();
    }, TICK);
  }

  dispose(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #check(): void {
    const progress = Atomics.load(this.#counters, HEARTBEAT.progress);
    const job = Atomics.load(this.#counters, HEARTBEAT.job);
    const isStill = progress === this.#lastProgress;
    this.#lastProgress = progress;
    this.#still = isStill && job !== 0 ? this.#still + 1 : 0;
    this.#idle = isStill && job === 0 ? this.#idle + 1 : 0;
    // A worker that is only about to start counts as idle: it has as much time as one that hangs.
    if (this.#idle * TICK > 2 * this.#timeoutMs) this.dispose();
    if (this.#still * TICK < this.#timeoutMs) return;
    this.dispose();
    this.#onHang(job);
  }
}
