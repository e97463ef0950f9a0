import { isCancellation } from '../base/lifetime.ts';
import { CTRL_C } from '../output/terminal/inputQueue.ts';
import type { Pty } from '../output/terminal/pty.ts';
import { Screen, typedText } from '../output/terminal/screen.ts';
import { FAILURE_EXIT_CODE } from './containerRun.ts';

/**
 * The terminal of a task that accepts no input: shows its work, and ends with its exit code. Ctrl+C and closing the
 * terminal cancel the work.
 */
export class WorkTerminal implements Pty {
  readonly screen = new Screen();
  readonly #work: (screen: Screen, signal: AbortSignal) => Promise<number>;
  readonly #describe: (error: unknown) => string;
  readonly #end = new AbortController();
  readonly #over = Promise.withResolvers<number>();
  #isOpen = false;

  /** @param work resolves to the exit code. */
  constructor(
    work: (screen: Screen, signal: AbortSignal) => Promise<number>,
    describe: (error: unknown) => string,
  ) {
    this.#work = work;
    this.#describe = describe;
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

  async #run(): Promise<void> {
    const { signal } = this.#end;
    let code = FAILURE_EXIT_CODE;
    try {
      code = await this.#work(this.screen, signal);
    } catch (error) {
      if (!signal.aborted && !isCancellation(error)) this.screen.showError(this.#describe(error));
    } finally {
      this.screen.close(code);
      this.#over.resolve(code);
    }
  }
}
