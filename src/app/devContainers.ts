import * as vscode from 'vscode';
import { canHaveDevContainers, DEV_CONTAINERS } from '../base/devContainers.ts';
import { MissingCommandError, type DevContainers } from '../commands/ui/devContainers.ts';
import { asText, asTextMap } from '../engine/wire/wire.ts';

/**
 * The extension Dev Containers in VS Code. In a remote window it runs on the other side, where its settings and commands
 * are known, but not the extension itself. What it accepts is not documented: its maintainer says that the command takes
 * an ID, and that such an address opens a folder.
 */
export const devContainers: DevContainers = {
  isPossible: () => canHaveDevContainers(vscode.env, isThere()),
  isInstalled: async () => isThere() || isSettingKnown() || (await hasCommand()),
  install: async () => {
    await vscode.commands.executeCommand('workbench.extensions.installExtension', DEV_CONTAINERS);
  },
  program: () => asText(vscode.workspace.getConfiguration(SECTION).get(PROGRAM)) || 'docker',
  setProgram: async (program) => {
    const { Global } = vscode.ConfigurationTarget;
    await vscode.workspace.getConfiguration(SECTION).update(PROGRAM, program, Global);
  },
  variables: () =>
    Object.assign(
      {},
      ...ENVIRONMENTS.map((name) => asTextMap(vscode.workspace.getConfiguration().get(name))),
    ) as Readonly<Record<string, string>>,
  showSettings: () => {
    const ids = [`${SECTION}.${PROGRAM}`, ...ENVIRONMENTS].join(',');
    void vscode.commands.executeCommand('workbench.action.openSettings', `@id:${ids}`);
  },
  attach: async (id) => {
    try {
      await vscode.commands.executeCommand(ATTACH, id);
    } catch (error) {
      throw (await hasCommand()) ? error : new MissingCommandError(ATTACH, { cause: error });
    }
  },
  openFolder: async (id, folder, host) => {
    const settings = host === undefined ? {} : { settings: { host } };
    const which = Buffer.from(JSON.stringify({ containerName: id, ...settings })).toString('hex');
    const uri = vscode.Uri.from({
      scheme: 'vscode-remote',
      authority: `attached-container+${which}`,
      path: folder,
    });
    await vscode.commands.executeCommand('vscode.openFolder', uri, { forceNewWindow: true });
  },
};

const SECTION = 'dev.containers';
const PROGRAM = 'dockerPath';
const ATTACH = 'remote-containers.attachToRunningContainer';
/** Settings of Docker's and Microsoft's extensions that Dev Containers follows, the newer one last. */
const ENVIRONMENTS = ['docker.environment', 'containers.environment'];

function isThere(): boolean {
  return vscode.extensions.getExtension(DEV_CONTAINERS) !== undefined;
}

/** Only an extension gives a setting a default. */
function isSettingKnown(): boolean {
  const found = vscode.workspace.getConfiguration(SECTION).inspect(PROGRAM);
  return found?.defaultValue !== undefined;
}

async function hasCommand(): Promise<boolean> {
  return (await vscode.commands.getCommands(true)).includes(ATTACH);
}
