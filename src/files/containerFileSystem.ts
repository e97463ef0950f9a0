import * as vscode from 'vscode';
import { asError, EngineError, failedWith, unlessNotFound } from '../engine/errors.ts';
import {
  NameEncodingError,
  PathKindError,
  type PathKind,
  type PathStat,
} from '../engine/archive/pathStat.ts';
import { VolumeUnmountedError } from '../engine/volumes/volumeErrors.ts';
import type { AllFiles, FilesChange } from './allFiles.ts';
import { FILE_SCHEME, joinPath, fileRootKey, parseFileUri } from './fileRoot.ts';
import type { FileTreeReader } from './fileTreeReader.ts';

/** Largest file that can be opened as a document, in bytes. VS Code asks for confirmation at a tenth of this size. */
const FILE_LIMIT = 512 * 1024 * 1024;

/** Reads the files of containers and images for VS Code's editors, and reports those that changed. */
export class ContainerFileSystem implements Reading, vscode.Disposable {
  readonly #all: AllFiles;
  readonly #describe: (error: unknown) => string;
  readonly #changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly #subscriptions: vscode.Disposable;

  readonly onDidChangeFile = this.#changes.event;

  constructor(all: AllFiles, describe: (error: unknown) => string) {
    this.#all = all;
    this.#describe = describe;
    this.#subscriptions = vscode.Disposable.from(this.#changes, all.onDidChange(this.#notify));
  }

  stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    return this.#answer(uri, async (files, path) => {
      const stat = await files.stat(path);
      if (stat.kind !== 'link') return statOf(stat, typeOf(stat.kind));
      const end = await unlessNotFound(files.follow(path));
      const { SymbolicLink } = vscode.FileType;
      return end
        ? statOf(end.stat, typeOf(end.stat.kind) | SymbolicLink)
        : statOf(stat, SymbolicLink);
    });
  }

  readDirectory(uri: vscode.Uri): Promise<[string, vscode.FileType][]> {
    return this.#answer(uri, async (files, path) => {
      const { entries } = await files.list(path, { isPatient: true });
      return entries.map(({ name, kind, linkTarget }): [string, vscode.FileType] => {
        if (kind !== 'link') return [name, typeOf(kind)];
        const isFolder = files.leadsToFolder(joinPath(path, name), linkTarget);
        return [name, typeOf(isFolder ? 'folder' : 'file') | vscode.FileType.SymbolicLink];
      });
    });
  }

  readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return this.#answer(uri, (files, path) => files.read(path, FILE_LIMIT));
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  /** @param work called with the reader and the path that the URI points to. */
  async #answer<T>(
    uri: vscode.Uri,
    work: (files: FileTreeReader, path: string) => Promise<T>,
  ): Promise<T> {
    const address = parseFileUri(uri);
    if (!address) throw vscode.FileSystemError.FileNotFound(uri);
    try {
      return await work(this.#all.of(address.root), address.path);
    } catch (error) {
      throw this.#failure(error, uri);
    }
  }

  #failure(error: unknown, uri: vscode.Uri): Error {
    if (failedWith(error, 'notFound')) return vscode.FileSystemError.FileNotFound(uri);
    if (error instanceof PathKindError && error.kind === 'folder')
      return vscode.FileSystemError.FileIsADirectory(uri);
    const isKnown =
      error instanceof EngineError ||
      error instanceof PathKindError ||
      error instanceof NameEncodingError ||
      error instanceof VolumeUnmountedError;
    if (isKnown) return vscode.FileSystemError.Unavailable(this.#describe(error));
    return asError(error);
  }

  /** Fires a change event for open documents, so that VS Code reads them again. */
  readonly #notify = ({ root }: FilesChange): void => {
    const open = vscode.workspace.textDocuments.flatMap(({ uri }) => {
      const address = uri.scheme === FILE_SCHEME ? parseFileUri(uri) : undefined;
      return address && fileRootKey(address.root) === fileRootKey(root) ? [uri] : [];
    });
    if (open.length === 0) return;
    this.#changes.fire(open.map((uri) => ({ type: vscode.FileChangeType.Changed, uri })));
  };
}

function typeOf(kind: PathKind): vscode.FileType {
  const { Directory, File, SymbolicLink, Unknown } = vscode.FileType;
  return { folder: Directory, file: File, link: SymbolicLink, other: Unknown }[kind];
}

function statOf({ size, modifiedAt }: PathStat, type: vscode.FileType): vscode.FileStat {
  const permissions = vscode.FilePermission.Readonly;
  return { type, size, mtime: modifiedAt, ctime: modifiedAt, permissions };
}

type Reading = Pick<
  vscode.FileSystemProvider,
  'onDidChangeFile' | 'stat' | 'readDirectory' | 'readFile'
>;
