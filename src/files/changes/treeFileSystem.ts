import * as vscode from 'vscode';
import { InputError } from '../../engine/errors.ts';
import type { Disposable } from '../../base/lifetime.ts';
import type { AllFiles } from '../allFiles.ts';
import { FileChanges } from './fileChanges.ts';
import { fileRootKey, parseFileUri, renameKey, toFileUri, type FileRoot } from '../fileRoot.ts';

/** Creates, renames, copies and deletes files and folders for VS Code. Never replaces anything. */
export class TreeFileSystem implements Changing {
  readonly #all: AllFiles;
  readonly #changes: FileChanges;
  readonly #describe: (error: unknown) => string;
  readonly #failure: (error: unknown, uri: vscode.Uri) => Error;

  /** @param failure returns the error for VS Code. */
  constructor(
    all: AllFiles,
    describe: (error: unknown) => string,
    failure: (error: unknown, uri: vscode.Uri) => Error,
  ) {
    this.#all = all;
    this.#changes = new FileChanges(all);
    this.#describe = describe;
    this.#failure = failure;
  }

  /** Reports what was created and deleted by anything here. */
  report(fire: (events: vscode.FileChangeEvent[]) => void): Disposable {
    const { Created, Deleted } = vscode.FileChangeType;
    return this.#all.onDidChange(({ root, created, deleted }) => {
      const events = [...eventOf(Deleted, root, deleted), ...eventOf(Created, root, created)];
      if (events.length > 0) fire(events);
    });
  }

  async createDirectory(uri: vscode.Uri): Promise<void> {
    await this.#change(uri, ({ root, path }) => this.#changes.createFolder(root, path));
  }

  async delete(uri: vscode.Uri, { recursive }: { readonly recursive: boolean }): Promise<void> {
    const options = { isRecursive: recursive };
    await this.#change(uri, ({ root, path }) => this.#changes.remove(root, path, options));
  }

  /** Does what a command of ours has begun, if that asked VS Code to rename. */
  async rename(from: vscode.Uri, to: vscode.Uri): Promise<void> {
    await this.#changeBoth(from, to, ({ root, path }, target) => {
      const begun = this.#all.renames.get(renameKey(root, path, target));
      return begun ? begun() : this.#changes.move(root, { path, to: target });
    });
  }

  async copy(from: vscode.Uri, to: vscode.Uri): Promise<void> {
    await this.#changeBoth(from, to, ({ root, path }, target) =>
      this.#changes.copy(root, { path, to: target }),
    );
  }

  async #change(uri: vscode.Uri, work: (at: Address) => Promise<unknown>): Promise<void> {
    const address = parseFileUri(uri);
    if (!address) throw vscode.FileSystemError.FileNotFound(uri);
    try {
      await work(address);
    } catch (error) {
      throw error instanceof InputError
        ? vscode.FileSystemError.Unavailable(this.#describe(error))
        : this.#failure(error, uri);
    }
  }

  /** @param work called with the path of `to`, which is of the same container or volume. */
  async #changeBoth(
    from: vscode.Uri,
    to: vscode.Uri,
    work: (at: Address, target: string) => Promise<unknown>,
  ): Promise<void> {
    const target = parseFileUri(to);
    await this.#change(from, (at) => {
      if (!target || fileRootKey(target.root) !== fileRootKey(at.root))
        throw InputError.of('Files can only be moved and copied within a container or volume.');
      return work(at, target.path);
    });
  }
}

/**
 * Renames a file or folder. If documents of it are open, VS Code does it, so that its editors follow.
 *
 * @param run renames.
 * @throws errors of `run`.
 */
export async function renameInEditors<T>(
  all: AllFiles,
  root: FileRoot,
  { path, to }: { readonly path: string; readonly to: string },
  run: () => Promise<T>,
): Promise<T> {
  const old = vscode.Uri.from(toFileUri(root, path));
  const isOpen = vscode.workspace.textDocuments.some(
    ({ uri }) =>
      uri.scheme === old.scheme &&
      uri.query === old.query &&
      `${uri.path}/`.startsWith(`${old.path}/`),
  );
  if (!isOpen) return run();
  const key = renameKey(root, path, to);
  let done: Promise<T> | undefined;
  all.renames.set(key, () => (done ??= run()));
  const edit = new vscode.WorkspaceEdit();
  edit.renameFile(old, vscode.Uri.from(toFileUri(root, to)), { overwrite: false });
  try {
    await vscode.workspace.applyEdit(edit);
  } finally {
    all.renames.delete(key);
  }
  // If VS Code has refused before it called the file system.
  return done ?? run();
}

type Changing = Pick<
  Required<vscode.FileSystemProvider>,
  'createDirectory' | 'delete' | 'rename' | 'copy'
>;
type Address = NonNullable<ReturnType<typeof parseFileUri>>;

function eventOf(
  type: vscode.FileChangeType,
  root: FileRoot,
  path: string | undefined,
): readonly vscode.FileChangeEvent[] {
  return path === undefined ? [] : [{ type, uri: vscode.Uri.from(toFileUri(root, path)) }];
}
