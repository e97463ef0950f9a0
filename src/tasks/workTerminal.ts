import { isCancellation } from '../base/lifetime.ts';
import { CTRL_C } from '../output/terminal/inputQueue.ts';
import type { Pty } from '../output/terminal/pty.ts';
import { Screen, typedText } from '../output/terminal/screen.ts';
import { FAILURE_EXIT_CODE } from './containerRun.ts';

/**
 * The terminal of a task that takes no input: shows its work, and ends with its exit code. Ctrl+C and closing the
 * terminal cancel the work.
 */
export abstract class WorkTerminal implements Pty {
  readonly screen: Screen;
  readonly #end = new AbortController();
  readonly #over = Promise.withResolvers<number>();
  #isOpen = false;

  constructor() {
    this.screen = new Screen();
  }

  /** Resolves to the exit code when the work has ended, also after the terminal was closed. */
  get exitCode(): Promise<number> {
    return this.#over.promise;
  }

  open(): void {
    this.#isOpen = true;
    void this.#run();
  }

  close(): void {
    this.screen.dispose();
    this.cancel();
    if (!this.#isOpen) this.#over.resolve(FAILURE_EXIT_CODE);
  }

  /** Cancels the work, as Ctrl+C does. */
  cancel(): void {
    this.#end.abort();
  }

  handleInput(input: string): void {
    if (typedText(input) === CTRL_C) this.cancel();
  }

  setDimensions(): void {
    // Lines are wrapped by the terminal.
  }

  /** Does the work. Resolves to the exit code. */
  protected abstract work(signal: AbortSignal): Promise<number>;

  /** Returns the error message to show to the user. */
  protected abstract describe(error: unknown): string;

  async #run(): Promise<void> {
    const { signal } = this.#end;
    let code = FAILURE_EXIT_CODE;
    try {
      code = await this.work(signal);
    } catch (error) {
      if (!signal.aborted && !isCancellation(error)) this.screen.showError(this.describe(error));
    } finally {
      this.screen.close(code);
      this.#over.resolve(code);
    }
  }
}
