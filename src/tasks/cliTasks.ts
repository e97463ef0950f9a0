import * as vscode from 'vscode';
import type { CliCall } from '../engine/cli/cliCall.ts';
import { oneLine } from '../base/plainText.ts';
import { closeAll } from '../output/terminal/closeAll.ts';
import { asPty } from '../output/terminal/terminals.ts';
import type { ProgramTask } from '../commands/ui/ui.ts';
import { cliTerminal } from './cliTerminal.ts';
import { FAILURE_EXIT_CODE } from './containerRun.ts';
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
    const terminal = cliTerminal(call, linesOf);
    this.#running.add(terminal);
    const execution = new vscode.CustomExecution(() => Promise.resolve(asPty(terminal)));
    const definition = { type, run: crypto.randomUUID() };
    const scope = vscode.TaskScope.Workspace;
    // Without a list, VS Code asks at each run which problems to look for in the output.
    const task = new vscode.Task(definition, scope, oneLine(title), 'gantry', execution, []);
    task.presentationOptions = { panel: vscode.TaskPanelKind.Dedicated, showReuseMessage: false };
    const cancel = terminal.cancel.bind(terminal);
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      await vscode.tasks.executeTask(task);
      return await terminal.exitCode;
    } finally {
      signal?.removeEventListener('abort', cancel);
      this.#running.delete(terminal);
    }
  }

  /**
   * Terminates the running programs, as closing their terminals does. Resolves when they have exited, or after a
   * short time.
   */
  end(): Promise<void> {
    return closeAll(this.#running, ({ exitCode }) => exitCode);
  }
}
