import * as vscode from 'vscode';
import type { ComposeRunner } from '../commands/ui/editorPorts.ts';
import type { Memento } from '../base/lifetime.ts';
import { findComposeCli, type ComposeCli } from '../projects/cli/composeCli.ts';
import { ComposeProgress, readComposeEvent } from '../projects/cli/composeProgress.ts';
import { COMPOSE_FILES } from '../projects/composeFiles.ts';
import { COMPOSE_TASK_TYPE } from '../base/registeredTypes.ts';
import type { CliTasks } from './cliTasks.ts';
import { isReallyWithin } from '../projects/fileAccess.ts';

const MOST_FILES = 100;

/** Runs the compose CLI in tasks of the window. */
export class ComposeTasks implements ComposeRunner {
  #cli: Promise<ComposeCli | undefined> | undefined;
  readonly #tasks: Pick<CliTasks, 'run'>;
  readonly memory: Memento;

  constructor(memory: Memento, tasks: Pick<CliTasks, 'run'>, folders: () => readonly string[]) {
    this.memory = memory;
    this.#tasks = tasks;
    this.isInWorkspace = (path) => isReallyWithin(path, folders());
  }

  readonly isTrusted = (): boolean => vscode.workspace.isTrusted;

  readonly isInWorkspace: ComposeRunner['isInWorkspace'];
  readonly allowedFiles = new Set<string>();

  readonly findCli = async (): Promise<ComposeCli | undefined> => {
    const found = await (this.#cli ??= findComposeCli(process.env));
    // The user may install it.
    if (!found) this.#cli = undefined;
    return found;
  };

  readonly findFiles = async (): Promise<readonly string[]> => {
    const found = await vscode.workspace.findFiles(COMPOSE_FILES, undefined, MOST_FILES);
    return found.filter(({ scheme }) => scheme === 'file').map(({ fsPath }) => fsPath);
  };

  readonly runTask: ComposeRunner['runTask'] = (call, title, onEvent) => {
    const progress = new ComposeProgress();
    const linesOf = (line: string): readonly string[] => {
      const event = readComposeEvent(line);
      if (event) onEvent(event);
      return progress.linesOf(line);
    };
    return this.#tasks.run(call, { type: COMPOSE_TASK_TYPE, title, linesOf });
  };
}
