import * as vscode from 'vscode';
import { oneLine } from '../base/plainText.ts';
import { asPty } from '../output/terminal/terminals.ts';
import type { WorkTerminal } from './workTerminal.ts';

/** Runs what is no task of tasks.json in a task of the window. @returns its exit code. */
export async function runInTask({
  type,
  title,
  problemMatcher = [],
  open,
  signal,
}: WindowTask): Promise<number> {
  const terminal = open();
  let next: WorkTerminal | undefined = terminal;
  const execution = new vscode.CustomExecution(() => {
    const pty = asPty(next ?? open());
    next = undefined;
    return Promise.resolve(pty);
  });
  // VS Code keeps definitions for long, so what may be secret is not in it.
  const definition = { type, run: crypto.randomUUID() };
  const scope = vscode.TaskScope.Workspace;
  // Without a list, VS Code asks at each run which problems to look for in the output.
  const matchers = [...problemMatcher];
  const task = new vscode.Task(definition, scope, oneLine(title), 'gantry', execution, matchers);
  task.presentationOptions = { panel: vscode.TaskPanelKind.Dedicated, showReuseMessage: false };
  const cancel = terminal.cancel.bind(terminal);
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    await vscode.tasks.executeTask(task);
    return await terminal.exitCode;
  } catch (error) {
    terminal.close();
    throw error;
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}

interface WindowTask {
  readonly type: string;
  readonly title: string;
  /** Names with their `$`; none by default. */
  readonly problemMatcher?: readonly string[] | undefined;
  /** Returns a new terminal. Called again if the user has VS Code run its last task again. */
  readonly open: () => WorkTerminal;
  /** Cancels the first run. */
  readonly signal?: AbortSignal | undefined;
}
