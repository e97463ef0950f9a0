import * as vscode from 'vscode';

/** Sets the `gantry.host` setting of the user; undefined resets it. */
export async function useHost(host: string | undefined): Promise<void> {
  const settings = vscode.workspace.getConfiguration('gantry');
  await settings.update('host', host, vscode.ConfigurationTarget.Global);
}
