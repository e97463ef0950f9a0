import * as vscode from 'vscode';
import type { ComposeRunner } from '../commands/projects/composeRunner.ts';
import type { Memento } from '../lifetime.ts';
import { oneLine } from '../plainText.ts';
import { findComposeCli, type ComposeCli } from '../projects/cli/composeCli.ts';
import { COMPOSE_FILES } from '../projects/composeFiles.ts';
import { COMPOSE_TASK_TYPE } from '../registeredTypes.ts';
import { settledWithin } from '../time.ts';
import { asPty } from '../terminal/terminals.ts';
import { ComposeTerminal } from './composeTerminal.ts';

const MOST_FILES = 100;
/** Milliseconds that the programs of a closing window have to exit. */
const LAST_CALL_MS = 2500;

/** Runs the compose CLI in tasks of the window. */
export class ComposeTasks implements ComposeRunner {
  #cli: Promise<ComposeCli | undefined> | undefined;
  readonly #running = new Set<ComposeTerminal>();
  readonly memory: Memento;

  constructor(memory: Memento) {
    this.memory = memory;
  }

  readonly isTrusted = (): boolean => vscode.workspace.isTrusted;

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

  readonly runTask: ComposeRunner['runTask'] = async (call, title, onEvent) => {
    const terminal = new ComposeTerminal(call, vscode.l10n, onEvent);
    this.#running.add(terminal);
    const execution = new vscode.CustomExecution(() => Promise.resolve(asPty(terminal)));
    const definition = { type: COMPOSE_TASK_TYPE, run: crypto.randomUUID() };
    const scope = vscode.TaskScope.Workspace;
    // Without a list, VS Code asks at each run which problems to look for in the output.
    const task = new vscode.Task(definition, scope, oneLine(title), 'gantry', execution, []);
    task.presentationOptions = { panel: vscode.TaskPanelKind.Dedicated, showReuseMessage: false };
    try {
      await vscode.tasks.executeTask(task);
      return await terminal.exitCode;
    } finally {
      this.#running.delete(terminal);
    }
  };

  /** Terminates the running programs, as closing their terminals does. */
  async end(): Promise<void> {
    const running = [...this.#running];
    for (const terminal of running) terminal.close();
    await settledWithin(LAST_CALL_MS, Promise.all(running.map(({ exitCode }) => exitCode)));
  }
}
