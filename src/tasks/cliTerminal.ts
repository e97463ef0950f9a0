import * as l10n from '@vscode/l10n';
import { showCliCall, type CliCall, type ReadLine } from '../engine/cli/cliCall.ts';
import { InputError } from '../engine/errors.ts';
import { runCli } from '../engine/cli/runCli.ts';
import { plainText, withoutUrlPasswords } from '../base/plainText.ts';
import type { Screen } from '../output/terminal/screen.ts';
import { FAILURE_EXIT_CODE } from './containerRun.ts';
import { WorkTerminal } from './workTerminal.ts';

/**
 * Returns the terminal of a task that runs a command-line program: shows the command, then its output in plain lines,
 * and ends with its exit code.
 */
export function cliTerminal(call: CliCall, linesOf: ReadLine): WorkTerminal {
  const describe = (error: unknown): string =>
    error instanceof Error ? error.message : String(error);
  return new WorkTerminal((screen, signal) => showProgram(screen, call, linesOf, signal), describe);
}

/**
 * Runs a command-line program: shows the command, then its output in plain lines.
 *
 * @returns its exit code.
 * @throws InputError if it could not be started.
 */
export async function showProgram(
  screen: Screen,
  call: CliCall,
  linesOf: ReadLine,
  signal: AbortSignal,
): Promise<number> {
  screen.showMessage(`> ${withoutUrlPasswords(showCliCall(call))}`);
  const show = async (line: string): Promise<void> => {
    // Text of image authors and build steps: without escape sequences.
    for (const shown of await linesOf(line)) {
      const text = plainText(withoutUrlPasswords(shown));
      void screen.write(`${text.replaceAll('\n', '\r\n')}\r\n`);
    }
  };
  const { code, spawnError } = await runCli(call, show, signal);
  if (spawnError !== undefined)
    throw new InputError(l10n.t('Could not start {0}: {1}', call.file, spawnError));
  return code ?? FAILURE_EXIT_CODE;
}
