import type { TerminalSize } from '../../engine/exec/exec.ts';
import type { Disposable } from '../../base/lifetime.ts';
import { monotonicClock, type Clock } from '../../base/time.ts';

const REPEAT_MS = 1000;

/**
 * Sends the terminal size to an engine. Runs one request at a time and skips intermediate sizes. If the engine may lose
 * the last size, sends it once more a little later: programs do not notice a size that they have.
 */
export class Sizer {
  readonly #send: (size: TerminalSize) => Promise<boolean>;
  #wanted: TerminalSize | undefined;
  #isReady = false;
  #working: Promise<void> | undefined;
  readonly #clock: Clock;
  #repeat: Disposable | undefined;
  #repeated: TerminalSize | undefined;

  /**
   * @param send resolves to whether the engine certainly applies the last of several sizes. May reject: a failed
   * resize does not end the session.
   */
  constructor(send: (size: TerminalSize) => Promise<boolean>, clock: Clock = monotonicClock) {
    this.#send = send;
    this.#clock = clock;
  }

  /** Sets the current size. It is sent now, or after {@link start}. */
  set(size: TerminalSize | undefined): void {
    if (!size || size.columns <= 0 || size.rows <= 0) return;
    this.#wanted = size;
    if (this.#isReady) void this.#work();
  }

  /** Starts sending sizes, because the program is running. Resolves when the current size has been sent. */
  async start(): Promise<void> {
    this.#isReady = true;
    await this.#work();
  }

  stop(): void {
    this.#isReady = false;
    this.#wanted = undefined;
    this.#repeat?.dispose();
  }

  #work(): Promise<void> {
    this.#working ??= this.#sendAll().finally(() => {
      this.#working = undefined;
    });
    return this.#working;
  }

  async #sendAll(): Promise<void> {
    this.#repeat?.dispose();
    let failed: TerminalSize | undefined;
    let lost: TerminalSize | undefined;
    while (this.#wanted) {
      const size = this.#wanted;
      this.#wanted = undefined;
      lost = undefined;
      try {
        if (!(await this.#send(size))) lost = size;
      } catch {
        // Retry once, unless there is a newer size.
        if (this.#isReady && size !== failed) this.#wanted ??= size;
        failed = size;
      }
    }
    if (lost && lost !== this.#repeated && this.#isReady) this.#repeatLater(lost);
  }

  #repeatLater(size: TerminalSize): void {
    this.#repeat = this.#clock.after(REPEAT_MS, () => {
      this.#repeated = size;
      this.set(size);
    });
  }
}
