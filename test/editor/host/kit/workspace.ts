// The folder that is open in the window; initially empty.
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';

/** Returns the open folder. */
export function workFolder(): vscode.WorkspaceFolder {
  return vscode.workspace.workspaceFolders?.[0] ?? assert.fail('The window has no folder open');
}

/** Files of a suite in that folder, deleted after each test. */
export class WorkFiles {
  readonly #written = new Set<string>();

  /** Writes a file without VS Code. */
  write(path: string, content: string | object): vscode.Uri {
    const file = join(workFolder().uri.fsPath, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    this.#written.add(file);
    return vscode.Uri.file(file);
  }

  /** Returns the path of a file that the extension will write. */
  path(path: string): string {
    const file = join(workFolder().uri.fsPath, path);
    this.#written.add(file);
    return file;
  }

  clean(): void {
    for (const file of this.#written) rmSync(file, { force: true });
    this.#written.clear();
  }
}
