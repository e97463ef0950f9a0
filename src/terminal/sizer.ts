import type { TerminalSize } from '../engine/containers/exec.ts';

/** Tells an engine how large a terminal is: one request at a time, and of many changes the last. */
export class Sizer {
  readonly #send: (size: TerminalSize) => Promise<void>;
  #wanted: TerminalSize | undefined;
  #isReady = false;
  #working: Promise<void> | undefined;

  /** @param send may reject: a size that is not taken is no reason to end anything. */
  constructor(send: (size: TerminalSize) => Promise<void>) {
    this.#send = send;
  }

  /** The size as it is now. Told at once, or once it can be. */
  set(size: TerminalSize | undefined): void {
    if (!size || size.columns <= 0 || size.rows <= 0) return;
    this.#wanted = size;
    if (this.#isReady) void this.#work();
  }

  /** The program runs: sizes reach it from now on. Resolves when the present one has. */
  async start(): Promise<void> {
    this.#isReady = true;
    await this.#work();
  }

  stop(): void {
    this.#isReady = false;
    this.#wanted = undefined;
  }

  #work(): Promise<void> {
    this.#working ??= this.#sendAll().finally(() => {
      this.#working = undefined;
    });
    return this.#working;
  }

  async #sendAll(): Promise<void> {
    let failed: TerminalSize | undefined;
    while (this.#wanted) {
      const size = this.#wanted;
      this.#wanted = undefined;
      try {
        await this.#send(size);
      } catch {
        // Tried once more, where no other came meanwhile.
        if (this.#isReady && size !== failed) this.#wanted ??= size;
        failed = size;
      }
    }
  }
}
