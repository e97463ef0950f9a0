import * as vscode from 'vscode';

/** Sets `gantry.host` as a person does; undefined takes it back. */
export async function useHost(host: string | undefined): Promise<void> {
  const settings = vscode.workspace.getConfiguration('gantry');
  await settings.update('host', host, vscode.ConfigurationTarget.Global);
}
