import type { TerminalSize } from '../engine/containers/exec.ts';

/** Sends the terminal size to an engine. Runs one request at a time and skips intermediate sizes. */
export class Sizer {
  readonly #send: (size: TerminalSize) => Promise<void>;
  #wanted: TerminalSize | undefined;
  #isReady = false;
  #working: Promise<void> | undefined;

  /** @param send may reject: a failed resize does not end the session. */
  constructor(send: (size: TerminalSize) => Promise<void>) {
    this.#send = send;
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
        // Retry once, unless there is a newer size.
        if (this.#isReady && size !== failed) this.#wanted ??= size;
        failed = size;
      }
    }
  }
}
