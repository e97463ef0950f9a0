import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { authorOf, gitUserIn } from '../review/gitConfig.ts';

/**
 * The author that Git would write into a commit here, by its configuration files: the workspace's own says
 * more than the person's. Undefined where nothing says it. Runs no program.
 */
export async function gitAuthor(): Promise<string | undefined> {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(
    ({ uri }) => uri.scheme === 'file',
  );
  const files = [
    join(process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'git', 'config'),
    join(homedir(), '.gitconfig'),
    ...folders.slice(0, 1).map(({ uri }) => join(uri.fsPath, '.git', 'config')),
  ];
  // Nothing there, or nothing that may be read, says nothing.
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  return authorOf(texts.map(gitUserIn));
}
