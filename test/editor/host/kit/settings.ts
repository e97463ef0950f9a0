import * as vscode from 'vscode';

/** Sets the `gantry.host` setting of the user; undefined resets it. */
export async function useHost(host: string | undefined): Promise<void> {
  const settings = vscode.workspace.getConfiguration('gantry');
  // VS Code would write its settings again.
  if (settings.inspect('host')?.globalValue === host) return;
  await settings.update('host', host, vscode.ConfigurationTarget.Global);
}
