import * as l10n from '@vscode/l10n';
import { showCliCall, type CliCall } from '../engine/cli/cliCall.ts';
import { runCli } from '../engine/cli/runCli.ts';
import { plainText, withoutUrlPasswords } from '../base/plainText.ts';
import { FAILURE_EXIT_CODE } from './containerRun.ts';
import { WorkTerminal } from './workTerminal.ts';

/**
 * The terminal of a task that runs a command-line program: shows the command, then its output in plain lines, and ends
 * with its exit code.
 */
export class CliTerminal extends WorkTerminal {
  readonly #call: CliCall;
  readonly #linesOf: ReadLine;

  constructor(call: CliCall, linesOf: ReadLine) {
    super();
    this.#call = call;
    this.#linesOf = linesOf;
  }

  protected async work(signal: AbortSignal): Promise<number> {
    this.screen.showMessage(`> ${withoutUrlPasswords(showCliCall(this.#call))}`);
    const show = async (line: string): Promise<void> => {
      this.#show(await this.#linesOf(line));
    };
    const { code, spawnError } = await runCli(this.#call, show, signal);
    if (spawnError !== undefined) throw new Error(spawnError);
    return code ?? FAILURE_EXIT_CODE;
  }

  protected describe(error: unknown): string {
    const reason = error instanceof Error ? error.message : String(error);
    return l10n.t('Could not start {0}: {1}', this.#call.file, reason);
  }

  #show(lines: readonly string[]): void {
    // Text of image authors and build steps: without escape sequences.
    for (const line of lines) {
      const text = plainText(withoutUrlPasswords(line));
      void this.screen.write(`${text.replaceAll('\n', '\r\n')}\r\n`);
    }
  }
}

/** Returns the lines to show for a line of the output. The next line waits for them. */
export type ReadLine = (line: string) => readonly string[] | Promise<readonly string[]>;
