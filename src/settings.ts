import * as vscode from 'vscode';
import type { Disposable } from './lifetime.ts';

const SECTION = 'gantry';
const [LEAST_OUTPUT_LINES, DEFAULT_OUTPUT_LINES] = [1000, 200_000];
/** Megabytes. */
const [LEAST_MEMORY, DEFAULT_MEMORY, MOST_MEMORY] = [4, 32, 4096];

/** The only reader of workspace configuration. Every getter reads anew. */
export const settings = {
  /** Where the default engine listens; empty where it is to be found. Never a workspace's to say. */
  host: (): string => {
    const value = userSetting('host');
    return typeof value === 'string' ? value.trim() : '';
  },

  /** Lets the default engine be the one at an address, on the machine that this window works on. */
  setHost: async (value: string): Promise<void> => {
    await vscode.workspace
      .getConfiguration(SECTION)
      .update('host', value, vscode.ConfigurationTarget.Global);
  },

  /** Lets the default engine be found again. */
  clearHost: async (): Promise<void> => {
    await vscode.workspace
      .getConfiguration(SECTION)
      .update('host', undefined, vscode.ConfigurationTarget.Global);
  },

  /** The engines the person has added, by their names, as written: not checked. Never a workspace's to say. */
  engines: (): Readonly<Record<string, unknown>> => {
    const value = userSetting('engines');
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  },

  setEngines: async (value: Readonly<Record<string, unknown>>): Promise<void> => {
    await vscode.workspace
      .getConfiguration(SECTION)
      .update('engines', value, vscode.ConfigurationTarget.Global);
  },

  /** How many records a log begins with. */
  logTail: (): number | 'all' => {
    const value = vscode.workspace.getConfiguration(SECTION).get<unknown>('logs.tail');
    return value === 'all' || (Number.isSafeInteger(value) && Number(value) >= 0)
      ? (value as number | 'all')
      : 1000;
  },

  /** How many lines of a log an output channel keeps. */
  logOutputLines: (): number => {
    const value = vscode.workspace.getConfiguration(SECTION).get<unknown>('logs.outputLines');
    const isFit = Number.isSafeInteger(value) && Number(value) >= LEAST_OUTPUT_LINES;
    return isFit ? Number(value) : DEFAULT_OUTPUT_LINES;
  },

  /** How much memory the lines of one log viewer take, in megabytes. */
  logMemory: (): number => {
    const value = vscode.workspace.getConfiguration(SECTION).get<unknown>('logs.memory');
    const isFit = typeof value === 'number' && value >= LEAST_MEMORY && value <= MOST_MEMORY;
    return isFit ? value : DEFAULT_MEMORY;
  },

  /** Where a person's Show Logs opens. */
  logsOpenIn: (): 'output' | 'terminal' | 'viewer' => {
    const value = vscode.workspace.getConfiguration(SECTION).get<unknown>('logs.openIn');
    return value === 'terminal' || value === 'viewer' ? value : 'output';
  },

  /** Whether a container that dies unexpectedly is told. */
  notifyOnFailure: (): boolean =>
    vscode.workspace.getConfiguration(SECTION).get<unknown>('containers.notifyOnFailure') === true,

  hideStopped: (): boolean =>
    vscode.workspace.getConfiguration(SECTION).get<unknown>('containers.hideStopped') === true,

  setHideStopped: async (value: boolean): Promise<void> => {
    await vscode.workspace
      .getConfiguration(SECTION)
      .update('containers.hideStopped', value, vscode.ConfigurationTarget.Global);
  },

  /** How images are shown. */
  images: (): ImagesSettings => {
    const read = vscode.workspace.getConfiguration(SECTION);
    const groupBy = read.get<unknown>('images.groupBy');
    const sortBy = read.get<unknown>('images.sortBy');
    return {
      groupBy: groupBy === 'repository' || groupBy === 'registry' ? groupBy : 'none',
      sortBy: sortBy === 'newest' || sortBy === 'size' ? sortBy : 'name',
      showDangling: read.get<unknown>('images.showDangling') !== false,
    };
  },

  setImages: async <Name extends keyof ImagesSettings>(
    name: Name,
    value: ImagesSettings[Name],
  ): Promise<void> => {
    await vscode.workspace
      .getConfiguration(SECTION)
      .update(`images.${name}`, value, vscode.ConfigurationTarget.Global);
  },

  /** Calls back when one of Gantry's settings may have changed. */
  onDidChange: (
    name: 'host' | 'engines' | 'images' | 'containers.hideStopped',
    listener: () => void,
  ): Disposable =>
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`${SECTION}.${name}`)) listener();
    }),
};

/** How images are shown. */
export interface ImagesSettings {
  readonly groupBy: 'none' | 'repository' | 'registry';
  readonly sortBy: 'name' | 'newest' | 'size';
  readonly showDangling: boolean;
}

/** What the person wrote, or the default. Scope `machine` keeps workspaces out already; theirs is not read at all. */
function userSetting(name: 'host' | 'engines'): unknown {
  const found = vscode.workspace.getConfiguration(SECTION).inspect<unknown>(name);
  return found?.globalValue ?? found?.defaultValue;
}
