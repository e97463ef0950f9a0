import * as vscode from 'vscode';
import type { WindowServices } from '../commands/frame/commandContext.ts';
import type { EngineChoice } from '../commands/frame/engineChoice.ts';
import type { ExecTask } from '../commands/ui/ui.ts';
import { EXEC_TASK_TYPE } from '../base/registeredTypes.ts';
import { asPty } from '../output/terminal/terminals.ts';
import { readExecTaskOptions } from '../commands/tasks/execTaskOptions.ts';
import { ExecTaskRun } from './execTaskRun.ts';
import { runInTask } from './runInTask.ts';
import type { WorkTerminal } from './workTerminal.ts';
import { WorkTerminals } from './workTerminals.ts';

/** The tasks that run a command in a running container. Only those of tasks.json are known: none is offered. */
export class ExecTasks {
  readonly #choice: EngineChoice;
  readonly #terminals: WorkTerminals;

  /** @param work remembers the tasks in case that the window ends first. */
  constructor(choice: EngineChoice, work?: WindowServices['work']) {
    this.#choice = choice;
    this.#terminals = new WorkTerminals(work);
  }

  /** Ends the running commands, as closing their terminals does. Resolves when they have ended, or after a short time. */
  end(): Promise<void> {
    return this.#terminals.end();
  }

  /** A run of a command has its terminal already. */
  resolveTask({ definition, scope, name }: vscode.Task): vscode.Task | undefined {
    if (definition['run'] !== undefined) return undefined;
    const folder = typeof scope === 'object' ? scope : vscode.workspace.workspaceFolders?.[0];
    const execution = new vscode.CustomExecution((resolved) =>
      Promise.resolve(asPty(this.#terminal(resolved, folder, name))),
    );
    const where = scope ?? vscode.TaskScope.Workspace;
    // Without a list, VS Code asks at each run which problems to look for in the output.
    return new vscode.Task(definition, where, name, 'gantry', execution, []);
  }

  /**
   * Runs a command that is no task of tasks.json.
   *
   * @returns its exit code; 125 if it was ended or could not be started.
   */
  run({ title, problemMatcher, ...fields }: ExecTask): Promise<number> {
    const open = () => this.#terminal(fields, undefined, undefined);
    return runInTask({ type: EXEC_TASK_TYPE, title, problemMatcher, open });
  }

  /** @param name the label of a task that can be run again by it. */
  #terminal(
    definition: Readonly<Record<string, unknown>>,
    folder: vscode.WorkspaceFolder | undefined,
    name: string | undefined,
  ): WorkTerminal {
    return this.#terminals.create(name, () => {
      const options = readExecTaskOptions(definition);
      const { target } = options;
      const id = 'container' in target ? target.container : undefined;
      const context = this.#choice.forArgument(options.engine, id);
      const path = folder?.uri.scheme === 'file' ? folder.uri.fsPath : undefined;
      return (terminal, signal) =>
        new ExecTaskRun({ options, folder: path, context, terminal, signal }).run();
    });
  }
}
