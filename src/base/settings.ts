import * as vscode from 'vscode';
import type { Disposable } from './lifetime.ts';

const SECTION = 'gantry';
const LEAST_OUTPUT_LINES = 1000;
const DEFAULT_OUTPUT_LINES = 200_000;
// In megabytes.
const LEAST_MEMORY = 4;
const DEFAULT_MEMORY = 32;
const MOST_MEMORY = 4096;

/** Gantry's settings, the only reader of the workspace configuration. Getters read the current value each time. */
export const settings = {
  /** Address of the default engine; empty if it is to be detected. Workspace values are ignored. */
  host: (): string => {
    const value = userSetting('host');
    return typeof value === 'string' ? value.trim() : '';
  },

  /** Sets the address of the default engine, as seen from the machine that the extension runs on. */
  setHost: (value: string): Promise<void> => write('host', value),

  /** Removes the setting, so that the default engine is detected again. */
  clearHost: (): Promise<void> => write('host', undefined),

  /** The engines that the user added, by name, as written and not validated. Workspace values are ignored. */
  engines: (): Readonly<Record<string, unknown>> => {
    const value = userSetting('engines');
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  },

  setEngines: (value: Readonly<Record<string, unknown>>): Promise<void> => write('engines', value),

  /** Number of the latest records to load when a log is opened. */
  logTail: (): number | 'all' => {
    const value = read('logs.tail');
    return value === 'all' || (Number.isSafeInteger(value) && Number(value) >= 0)
      ? (value as number | 'all')
      : 1000;
  },

  /** Maximum number of log lines to keep in an output channel. */
  logOutputLines: (): number => {
    const value = read('logs.outputLines');
    const isFit = Number.isSafeInteger(value) && Number(value) >= LEAST_OUTPUT_LINES;
    return isFit ? Number(value) : DEFAULT_OUTPUT_LINES;
  },

  /** Maximum memory for the lines of one log viewer, in megabytes. */
  logMemory: (): number => {
    const value = read('logs.memory');
    const isFit = typeof value === 'number' && value >= LEAST_MEMORY && value <= MOST_MEMORY;
    return isFit ? value : DEFAULT_MEMORY;
  },

  /** Where Show Logs opens for the user. */
  logsOpenIn: (): 'output' | 'terminal' | 'viewer' => {
    const value = read('logs.openIn');
    return value === 'terminal' || value === 'viewer' ? value : 'output';
  },

  /** What a double click on a container, or Enter, opens. */
  openOnClick: (): 'nothing' | 'details' | 'logs' => {
    const value = read('containers.openOnClick');
    return value === 'details' || value === 'logs' ? value : 'nothing';
  },

  /** Whether VS Code runs the command of a row at a double click only. */
  listOpensOnDoubleClick: (): boolean =>
    vscode.workspace.getConfiguration('workbench').get('list.openMode') === 'doubleClick',

  /** What goes wrong with containers that the user is notified of. */
  notifyOnFailure: (): NotifyLevel => {
    const value = read('containers.notifyOnFailure');
    // Earlier versions had only on and off.
    if (value === true) return 'failures';
    return value === 'failures' || value === 'all' ? value : 'off';
  },

  /** What is shown above services in compose files, and in Dockerfiles. */
  codeLens: (): CodeLensMode => {
    const value = read('codeLens');
    return value === 'actions' || value === 'off' ? value : 'state';
  },

  /** Whether to check Dockerfiles that are saved. */
  checkOnSave: (): boolean => read('builds.checkOnSave') === true,

  hideStopped: (): boolean => read('containers.hideStopped') === true,

  setHideStopped: (value: boolean): Promise<void> => write('containers.hideStopped', value),

  /** Whether the rows of containers show CPU and memory. */
  containerStatistics: (): boolean => read('containers.statistics') === true,

  setContainerStatistics: (value: boolean): Promise<void> => write('containers.statistics', value),

  /** Arrangement of the Images view. */
  images: (): ImagesSettings => {
    const groupBy = read('images.groupBy');
    const sortBy = read('images.sortBy');
    return {
      groupBy: groupBy === 'repository' || groupBy === 'registry' ? groupBy : 'none',
      sortBy: sortBy === 'newest' || sortBy === 'size' ? sortBy : 'name',
      showDangling: read('images.showDangling') !== false,
    };
  },

  setImages: <Name extends keyof ImagesSettings>(
    name: Name,
    value: ImagesSettings[Name],
  ): Promise<void> => write(`images.${name}`, value),

  /** Fires when this setting may have changed. */
  onDidChange: (
    name:
      | 'host'
      | 'engines'
      | 'images'
      | 'containers.hideStopped'
      | 'containers.openOnClick'
      | 'containers.statistics'
      | 'codeLens',
    listener: () => void,
  ): Disposable =>
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`${SECTION}.${name}`)) listener();
    }),
};

/** The settings of the extension, with the functions that change them. */
export type Settings = typeof settings;

/** `state`: one lens for each service, with a menu; `actions`: one for each action. */
export type CodeLensMode = 'state' | 'actions' | 'off';

/** `failures`: containers that ended or restart again and again; `all`: unhealthy ones, too. */
export type NotifyLevel = 'off' | 'failures' | 'all';

/** Arrangement of the Images view. */
export interface ImagesSettings {
  readonly groupBy: 'none' | 'repository' | 'registry';
  readonly sortBy: 'name' | 'newest' | 'size';
  /** Whether to show dangling images. */
  readonly showDangling: boolean;
}

function read(name: string): unknown {
  return vscode.workspace.getConfiguration(SECTION).get(name);
}

async function write(name: string, value: unknown): Promise<void> {
  const all = vscode.workspace.getConfiguration(SECTION);
  await all.update(name, value, vscode.ConfigurationTarget.Global);
}

/**
 * Returns the user's value, or the default. The scope `machine` already excludes workspace values; they are
 * not read at all.
 */
function userSetting(name: 'host' | 'engines'): unknown {
  const found = vscode.workspace.getConfiguration(SECTION).inspect<unknown>(name);
  return found?.globalValue ?? found?.defaultValue;
}
