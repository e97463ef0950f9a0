import * as vscode from 'vscode';
import { DisposableStore } from './lifetime.ts';
import { isReallyWithin, type FileAccess } from './projects/fileAccess.ts';

/** Access to the files of a trusted workspace. */
export const workspaceFiles: FileAccess = {
  mayRead: (path) => vscode.workspace.isTrusted && isInWorkspace(path),
  onDidChange: (listener) => {
    const { onDidGrantWorkspaceTrust, onDidChangeWorkspaceFolders } = vscode.workspace;
    const store = new DisposableStore();
    for (const event of [onDidGrantWorkspaceTrust, onDidChangeWorkspaceFolders])
      store.listen<unknown>(event, () => {
        listener();
      });
    return store;
  },
};

/** Whether a local file really lies in a folder of the workspace. */
export function isInWorkspace(path: string): boolean {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(
    ({ uri }) => uri.scheme === 'file',
  );
  return isReallyWithin(
    path,
    folders.map(({ uri }) => uri.fsPath),
  );
}
