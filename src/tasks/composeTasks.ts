import * as vscode from 'vscode';
import type { WindowServices } from '../commands/frame/commandContext.ts';
import type { EngineChoice } from '../commands/frame/engineChoice.ts';
import { COMPOSE_TASK_TYPE } from '../base/registeredTypes.ts';
import { asPty } from '../output/terminal/terminals.ts';
import { COMPOSE_FILES } from '../projects/composeFiles.ts';
import { isOverride } from '../projects/withOverride.ts';
import { readComposeTaskOptions } from './composeTaskOptions.ts';
import { ComposeTaskRun } from './composeTaskRun.ts';
import type { WorkTerminal } from './workTerminal.ts';
import { WorkTerminals } from './workTerminals.ts';

/** The most compose files that are offered as tasks. */
const MOST_FILES = 100;
/** The problem matcher of the manifest, by which VS Code knows that Compose watches. */
const WATCH_MATCHER = '$gantry-compose-watch';

/** Provides tasks on compose projects: *Up* for each compose file of the workspace, and those of tasks.json. */
export class ComposeTasks implements vscode.TaskProvider {
  readonly #choice: EngineChoice;
  readonly #terminals: WorkTerminals;

  /** @param work remembers the tasks in case that the window ends first. */
  constructor(choice: EngineChoice, work?: WindowServices['work']) {
    this.#choice = choice;
    this.#terminals = new WorkTerminals(work);
  }

  /** Cancels the running tasks, as closing their terminals does. Resolves when they have ended, or after a short time. */
  end(): Promise<void> {
    return this.#terminals.end();
  }

  async provideTasks(): Promise<vscode.Task[]> {
    const found = await vscode.workspace.findFiles(COMPOSE_FILES, undefined, MOST_FILES);
    return found.flatMap((uri) => {
      const folder = vscode.workspace.getWorkspaceFolder(uri);
      if (!folder || uri.scheme !== 'file' || isOverride(uri.fsPath)) return [];
      const file = vscode.workspace.asRelativePath(uri, false);
      const definition = { type: COMPOSE_TASK_TYPE, command: 'up', files: [file] };
      return this.#task(definition, folder, `compose up ${file}`);
    });
  }

  /** A run of a command has its terminal already. */
  resolveTask(task: vscode.Task): vscode.Task | undefined {
    if (task.definition['run'] !== undefined) return undefined;
    return this.#task(task.definition, task.scope ?? vscode.TaskScope.Workspace, task.name);
  }

  #task(
    definition: vscode.TaskDefinition,
    scope: vscode.WorkspaceFolder | vscode.TaskScope,
    name: string,
  ): vscode.Task {
    const isWatch = definition['command'] === 'watch';
    const folder = typeof scope === 'object' ? scope : vscode.workspace.workspaceFolders?.[0];
    const execution = new vscode.CustomExecution((resolved) =>
      Promise.resolve(asPty(this.#terminal(resolved, folder, name))),
    );
    // Without a list, VS Code asks at each run which problems to look for in the output.
    const matchers = isWatch ? [WATCH_MATCHER] : [];
    const task = new vscode.Task(definition, scope, name, 'gantry', execution, matchers);
    task.isBackground = isWatch;
    return task;
  }

  #terminal(
    definition: vscode.TaskDefinition,
    folder: vscode.WorkspaceFolder | undefined,
    name: string,
  ): WorkTerminal {
    return this.#terminals.create(name, () => {
      const options = readComposeTaskOptions(definition);
      const context = this.#choice.forArgument(options.engine);
      const path = folder?.uri.scheme === 'file' ? folder.uri.fsPath : undefined;
      return ({ screen }, signal) =>
        new ComposeTaskRun({ options, folder: path, context, screen, signal }).run();
    });
  }
}
