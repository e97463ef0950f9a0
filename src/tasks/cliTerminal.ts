import { formatCliCall, type CliCall } from '../cli/cliCall.ts';
import { runCli } from '../cli/runCli.ts';
import type { L10n } from '../l10n.ts';
import { plainText } from '../plainText.ts';
import { Screen, typedText } from '../terminal/screen.ts';
import type { Pty } from '../terminal/pty.ts';
import { FAILURE_EXIT_CODE } from './containerRun.ts';

const CTRL_C = '\x03';

/**
 * The terminal of a task that runs a command-line program: shows the command, then its output in plain lines, and ends
 * with its exit code. Ctrl+C and closing the terminal terminate it.
 */
export class CliTerminal implements Pty {
  readonly screen: Screen;
  readonly #call: CliCall;
  readonly #l10n: L10n;
  readonly #linesOf: ReadLine;
  readonly #end = new AbortController();
  readonly #over = Promise.withResolvers<number>();

  constructor(call: CliCall, linesOf: ReadLine, l10n: L10n, screen = new Screen(l10n)) {
    this.#call = call;
    this.#l10n = l10n;
    this.#linesOf = linesOf;
    this.screen = screen;
  }

  /** Resolves to the exit code when the program has exited; also if the terminal was closed. */
  get exitCode(): Promise<number> {
    return this.#over.promise;
  }

  open(): void {
    void this.#run();
  }

  close(): void {
    this.screen.dispose();
    this.#end.abort();
    // A terminal that never opened.
    this.#over.resolve(FAILURE_EXIT_CODE);
  }

  /** Terminates the program, as Ctrl+C does. */
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
    let code = FAILURE_EXIT_CODE;
    try {
      this.screen.say(`> ${formatCliCall(this.#call)}`);
      const { code: own, spawnError } = await runCli(
        this.#call,
        (line) => {
          this.#show(this.#linesOf(line));
        },
        this.#end.signal,
      );
      if (spawnError !== undefined) throw new Error(spawnError);
      code = own ?? FAILURE_EXIT_CODE;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const { file } = this.#call;
      if (!this.#end.signal.aborted)
        this.screen.sayError(this.#l10n.t('Could not start {0}: {1}', file, reason));
    } finally {
      this.screen.close(code);
      this.#over.resolve(code);
    }
  }

  #show(lines: readonly string[]): void {
    // Text of image authors and build steps: without escape sequences.
    for (const line of lines)
      void this.screen.write(`${plainText(line).replaceAll('\n', '\r\n')}\r\n`);
  }
}

/** Returns the lines to show for a line of the output. */
export type ReadLine = (line: string) => readonly string[];
