import type { TerminalSize } from '../engine/containers/exec.ts';
import type { Disposable } from '../lifetime.ts';
import { monotonicClock, type Clock } from '../time.ts';

const REPEAT_MS = 1000;

/**
 * Sends the terminal size to an engine. Runs one request at a time and skips intermediate sizes. Sends the last
 * size once more a little later: until a fix of June 2025, conmon, which applies sizes for Podman, applied the
 * first one again if it read two at once, and so lost the last. Programs do not notice a size that they have.
 */
export class Sizer {
  readonly #send: (size: TerminalSize) => Promise<void>;
  #wanted: TerminalSize | undefined;
  #isReady = false;
  #working: Promise<void> | undefined;
  readonly #clock: Clock;
  #repeat: Disposable | undefined;
  #repeated: TerminalSize | undefined;

  /** @param send may reject: a failed resize does not end the session. */
  constructor(send: (size: TerminalSize) => Promise<void>, clock: Clock = monotonicClock) {
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
    let last: TerminalSize | undefined;
    while (this.#wanted) {
      const size = this.#wanted;
      last = size;
      this.#wanted = undefined;
      try {
        await this.#send(size);
      } catch {
        // Retry once, unless there is a newer size.
        if (this.#isReady && size !== failed) this.#wanted ??= size;
        failed = size;
      }
    }
    if (last && last !== this.#repeated && this.#isReady) this.#repeatLater(last);
  }

  #repeatLater(size: TerminalSize): void {
    this.#repeat = this.#clock.after(REPEAT_MS, () => {
      this.#repeated = size;
      this.set(size);
    });
  }
}
