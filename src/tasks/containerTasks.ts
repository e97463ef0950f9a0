import * as l10n from '@vscode/l10n';
import { posix } from 'node:path';
import * as vscode from 'vscode';

import type { EngineChoice } from '../commands/frame/engineChoice.ts';
import { optionSchema } from '../commands/create/createSchema.ts';
import { exitMessage, runDuration } from '../commands/containers/exitMessage.ts';
import { findRecipe, listRecipes, readRecipeFile } from '../commands/recipes/recipeFiles.ts';
import { errorMessage } from '../commands/ui/errorMessage.ts';
import { checkArguments } from '../commands/ui/checkArguments.ts';
import { checkTaskTrust } from '../commands/tasks/checkTaskTrust.ts';
import type { WindowServices } from '../commands/frame/commandContext.ts';
import type { CreateArguments } from '../engine/options/options.ts';
import { withSignal } from '../engine/http/withTimeLimit.ts';
import { TASK_TYPE } from '../base/registeredTypes.ts';
import { settledWithin } from '../base/time.ts';
import type { Screen } from '../output/terminal/screen.ts';
import { closeAll } from '../output/terminal/closeAll.ts';
import { asPty } from '../output/terminal/terminals.ts';
import { RECIPE_SUFFIX, withAbsoluteMounts } from '../recipes/readRecipe.ts';
import { createTaskContainer, type ContextTask } from './createTaskContainer.ts';
import { readTaskOptions, taskArguments, type TaskOptions } from './taskOptions.ts';
import { buildTerminal, type StartBuild } from './buildTerminal.ts';
import { startTaskBuild } from './startTaskBuild.ts';
import type { PendingRemovals } from './pendingRemovals.ts';
import { TaskTerminal, type ReadyTask, type TaskTerminalOptions } from './taskTerminal.ts';

/** Milliseconds after which a task shows that it waits for another one. */
const NOTICE_MS = 1000;

/** Provides tasks that run containers: one for each recipe of the workspace, and those of tasks.json. */
export class ContainerTasks implements vscode.TaskProvider {
  readonly #choice: EngineChoice;
  readonly #removals: PendingRemovals;
  readonly #work: WindowServices['work'];
  /** Terminated tasks that are still ending: the next task may need what their containers have. */
  readonly #ending = new Set<TaskTerminal<ContextTask>>();
  readonly #needs = new WeakMap<TaskTerminal<ContextTask>, readonly string[]>();
  readonly #running = new Set<TaskTerminal<ContextTask>>();

  /** @param work remembers the tasks in case that the window ends first. */
  constructor(choice: EngineChoice, removals: PendingRemovals, work?: WindowServices['work']) {
    this.#choice = choice;
    this.#removals = removals;
    this.#work = work;
  }

  /** Stops the running tasks, as closing their terminals does. Resolves when they have ended, or after a short time. */
  end(): Promise<void> {
    return closeAll(this.#running, ({ whenOver }) => whenOver);
  }

  async provideTasks(): Promise<vscode.Task[]> {
    return (await listRecipes()).map((uri) => {
      const folder = vscode.workspace.getWorkspaceFolder(uri);
      const recipe = vscode.workspace.asRelativePath(uri, false);
      const name = recipe.slice(0, -RECIPE_SUFFIX.length);
      const scope = folder ?? vscode.TaskScope.Workspace;
      return this.#task({ type: TASK_TYPE, recipe }, scope, posix.normalize(name));
    });
  }

  resolveTask(task: vscode.Task): vscode.Task {
    return this.#task(task.definition, task.scope ?? vscode.TaskScope.Workspace, task.name);
  }

  #task(
    definition: vscode.TaskDefinition,
    scope: vscode.WorkspaceFolder | vscode.TaskScope,
    name: string,
  ): vscode.Task {
    const folder = typeof scope === 'object' ? scope : vscode.workspace.workspaceFolders?.[0];
    const execution = new vscode.CustomExecution((resolved) =>
      Promise.resolve(
        resolved['build'] === undefined
          ? this.#terminal(resolved, folder, name)
          : this.#buildTerminal(resolved, folder),
      ),
    );
    // Without a list, VS Code asks at each run which problems to look for in the output.
    return new vscode.Task(definition, scope, name, TASK_TYPE, execution, []);
  }

  #terminal(
    definition: vscode.TaskDefinition,
    folder: vscode.WorkspaceFolder | undefined,
    name: string,
  ): vscode.Pseudoterminal {
    const parts: TaskTerminalOptions<ContextTask> = {
      prepare: (signal) => {
        this.#running.add(terminal);
        const task = this.#prepare(definition, folder, terminal, signal);
        // The work of the terminal begins with this call.
        const over = Promise.resolve().then(() => terminal.whenOver);
        // VS Code runs a task again by its label.
        const again = { command: 'workbench.action.tasks.runTask', argument: name };
        const note = this.#work?.begin({ kind: 'task', name, again });
        void over.finally(() => {
          note?.[Symbol.dispose]();
          this.#running.delete(terminal);
        });
        return task;
      },
      create: createTaskContainer,
      removals: this.#removals,
      recheck: ({ context }, id) => context.unit.requests.recheck(id),
      describe: errorMessage,
      describeEnd: (end) => exitMessage(end.name, { ...end, duration: runDuration(end) }),
    };
    const terminal = new TaskTerminal<ContextTask>(parts);
    return asPty(terminal, () => {
      this.#ending.add(terminal);
      void terminal.whenOver.finally(() => this.#ending.delete(terminal));
    });
  }

  #buildTerminal(
    definition: vscode.TaskDefinition,
    folder: vscode.WorkspaceFolder | undefined,
  ): vscode.Pseudoterminal {
    const contextOf = (engine: unknown) => this.#choice.forArgument(engine);
    const start: StartBuild = (signal, runBuildx) =>
      startTaskBuild(definition, folder?.uri.fsPath, contextOf, signal, runBuildx);
    return asPty(buildTerminal(start, errorMessage));
  }

  async #prepare(
    definition: vscode.TaskDefinition,
    folder: vscode.WorkspaceFolder | undefined,
    terminal: TaskTerminal<ContextTask>,
    signal: AbortSignal,
  ): Promise<ContextTask> {
    checkTaskTrust({ isTrusted: () => vscode.workspace.isTrusted });
    const check = (fields: object): void => {
      // No field is required here, because a recipe may have it.
      checkArguments(fields, optionSchema(), l10n.t('The task'));
    };
    const options = readTaskOptions(definition, check);
    const { args, isRemoved } = taskArguments(await argumentsOf(options, folder));
    const context = this.#choice.forArgument(options.engine);
    const connect: ReadyTask['connect'] = (later) => context.engine.connect(later);
    const { endpoint } = await connect(signal);
    const needs = needsOf(args, endpoint.url);
    await this.#untilFree(needs, terminal.screen, signal);
    this.#needs.set(terminal, needs);
    // A container that an earlier window left behind may have the name of the new one.
    await withSignal(
      this.#removals.sweepName(args.name, endpoint.url, () => connect()),
      signal,
    );
    const remove = isRemoved || options.remove;
    return { connect, args, remove, context, pull: options.pull };
  }

  /** Waits for the terminated tasks whose containers may still have one of `needs`. */
  async #untilFree(needs: readonly string[], screen: Screen, signal: AbortSignal): Promise<void> {
    const holders = [...this.#ending].filter((one) =>
      this.#needs.get(one)?.some((need) => needs.includes(need)),
    );
    if (holders.length === 0) return;
    const over = Promise.all(holders.map(({ whenOver }) => whenOver));
    if ((await settledWithin(NOTICE_MS, over, { signal })) !== undefined) return;
    screen.showMessage(l10n.t('Waiting for the container of a terminated task to stop.'));
    await withSignal(over, signal);
  }
}

/** Returns what only one container of an engine can have at a time: its name and its published ports. */
function needsOf({ name, ports = [] }: CreateArguments, engine: string): readonly string[] {
  const needs = name === undefined ? ports : [...ports, `name ${name}`];
  return needs.map((need) => `${engine} ${need}`);
}

/** Returns the fields of the recipe, overridden by the task's own. */
async function argumentsOf(
  { recipe, fields }: TaskOptions,
  folder: vscode.WorkspaceFolder | undefined,
): Promise<CreateArguments> {
  const fsPath = folder?.uri.scheme === 'file' ? folder.uri.fsPath : undefined;
  const around = { folder: fsPath, workspaceFolder: fsPath, env: process.env };
  const own = withAbsoluteMounts({ image: '', ...fields }, around);
  if (recipe === undefined) return own;
  const read = await readRecipeFile(await findRecipe(recipe, folder?.uri));
  return { ...read, ...own, image: fields.image ?? read.image };
}
