import * as vscode from 'vscode';
import type { Disposable } from './lifetime.ts';

const SECTION = 'gantry';

/** The only reader of workspace configuration. Every getter reads anew. */
export const settings = {
  /** Where the engine listens; empty where it is to be found. Never a workspace's to say. */
  host: (): string => {
    // Scope `machine` already keeps workspaces out; the user's value alone is read all the same.
    const found = vscode.workspace.getConfiguration(SECTION).inspect<unknown>('host');
    const value = found?.globalValue ?? found?.defaultValue;
    return typeof value === 'string' ? value.trim() : '';
  },

  /** How many records a log begins with. */
  logTail: (): number | 'all' => {
    const value = vscode.workspace.getConfiguration(SECTION).get<unknown>('logs.tail');
    return value === 'all' || (Number.isSafeInteger(value) && Number(value) >= 0)
      ? (value as number | 'all')
      : 1000;
  },

  hideStopped: (): boolean =>
    vscode.workspace.getConfiguration(SECTION).get<unknown>('containers.hideStopped') === true,

  setHideStopped: async (value: boolean): Promise<void> => {
    await vscode.workspace
      .getConfiguration(SECTION)
      .update('containers.hideStopped', value, vscode.ConfigurationTarget.Global);
  },

  /** Calls back when one of Gantry's settings may have changed. */
  onDidChange: (name: 'host' | 'containers.hideStopped', listener: () => void): Disposable =>
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`${SECTION}.${name}`)) listener();
    }),
};
