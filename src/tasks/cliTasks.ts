import type { CliCall } from '../engine/cli/cliCall.ts';
import { closeAll } from '../output/terminal/closeAll.ts';
import type { ProgramTask } from '../commands/ui/ui.ts';
import { cliTerminal } from './cliTerminal.ts';
import { FAILURE_EXIT_CODE } from './containerRun.ts';
import { runInTask } from './runInTask.ts';
import type { WorkTerminal } from './workTerminal.ts';

/** Runs command-line programs in tasks of the window. */
export class CliTasks {
  readonly #running = new Set<WorkTerminal>();

  /**
   * Runs a program in a task whose terminal first shows the command.
   *
   * @returns its exit code; 125 if it was terminated or could not be started.
   */
  async run(call: CliCall, { type, title, linesOf, signal }: ProgramTask): Promise<number> {
    if (signal?.aborted) return FAILURE_EXIT_CODE;
    const open = (): WorkTerminal => {
      const terminal = cliTerminal(call, linesOf);
      this.#running.add(terminal);
      void terminal.exitCode.then(() => this.#running.delete(terminal));
      return terminal;
    };
    return runInTask({ type, title, open, signal });
  }

  /**
   * Terminates the running programs, as closing their terminals does. Resolves when they have exited, or after a
   * short time.
   */
  end(): Promise<void> {
    return closeAll(this.#running, ({ exitCode }) => exitCode);
  }
}
