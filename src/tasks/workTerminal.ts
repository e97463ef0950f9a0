import { isCancellation } from '../base/lifetime.ts';
import { CTRL_C } from '../output/terminal/inputQueue.ts';
import type { Pty } from '../output/terminal/pty.ts';
import { Screen, typedText } from '../output/terminal/screen.ts';
import type { TerminalSize } from '../engine/exec/exec.ts';
import { FAILURE_EXIT_CODE } from './containerRun.ts';

/**
 * The terminal of a task: shows its work, and ends with its exit code. Closing the terminal cancels the work, and so does
 * Ctrl+C unless the work accepts input.
 */
export class WorkTerminal implements Pty {
  readonly screen = new Screen();
  readonly #work: (screen: Screen, signal: AbortSignal) => Promise<number>;
  readonly #describe: (error: unknown) => string;
  readonly #end = new AbortController();
  readonly #over = Promise.withResolvers<number>();
  #isOpen = false;
  #size: TerminalSize | undefined;
  #input: WorkInput | undefined;

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

  get size(): TerminalSize | undefined {
    return this.#size;
  }

  /** Passes on what is typed, and the size; to nothing if undefined. */
  connect(input: WorkInput | undefined): void {
    this.#input = input;
  }

  open(size?: TerminalSize): void {
    this.#size = size;
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
    const text = typedText(input);
    if (this.#input) this.#input.type(text);
    else if (text === CTRL_C) this.cancel();
  }

  setDimensions(size: TerminalSize): void {
    // Without input, lines are wrapped by the terminal.
    this.#size = size;
    this.#input?.resize(size);
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

/** What accepts the input of the terminal. */
interface WorkInput {
  type(text: string): void;
  resize(size: TerminalSize): void;
}
