import * as vscode from 'vscode';
import { DisposableStore } from '../base/lifetime.ts';
import { isReallyWithin, type FileAccess } from '../projects/fileAccess.ts';

/** Access to the files of a trusted workspace. */
export const workspaceFiles: FileAccess = {
  mayRead: (path) => vscode.workspace.isTrusted && isReallyWithin(path, workspaceFolders()),
  onDidChange: (listener) => {
    const { onDidGrantWorkspaceTrust, onDidChangeWorkspaceFolders } = vscode.workspace;
    const store = new DisposableStore();
    for (const event of [onDidGrantWorkspaceTrust, onDidChangeWorkspaceFolders])
      store.listen<unknown>(event, () => listener());
    return store;
  },
};

/** Returns the paths of the folders of the workspace. */
export function workspaceFolders(): readonly string[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath);
}
