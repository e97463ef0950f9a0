import * as vscode from 'vscode';
import { PathKindError } from '../engine/archive/archive.ts';
import { asError, EngineError, failedWith } from '../engine/errors.ts';
import type { PathKind, PathStat } from '../engine/archive/pathStat.ts';
import type { AllFiles } from './allFiles.ts';
import { FILE_SCHEME, joinPath, fileRootKey, parseFileUri, type FileRoot } from './fileRoot.ts';
import type { FileTreeReader } from './fileTreeReader.ts';

/** Past this a file is no document; the editor asks before it opens one a tenth of it. In bytes. */
const FILE_LIMIT = 512 * 1024 * 1024;

/** What an address leads to. */
interface Found {
  readonly files: FileTreeReader;
  readonly path: string;
}

/** Shows the files of containers and images to the editor, read-only. */
export class ContainerFileSystem implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #all: AllFiles;
  readonly #describe: (error: unknown) => string;
  readonly #changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly #subscriptions: vscode.Disposable;

  readonly onDidChangeFile = this.#changes.event;

  /** @param describe an error as a sentence. */
  constructor(all: AllFiles, describe: (error: unknown) => string) {
    this.#all = all;
    this.#describe = describe;
    this.#subscriptions = vscode.Disposable.from(
      this.#changes,
      vscode.workspace.registerFileSystemProvider(FILE_SCHEME, this, {
        isReadonly: true,
        isCaseSensitive: true,
      }),
      all.onDidChange(({ root }) => {
        this.#tell(root);
      }),
    );
  }

  /** Nothing here tells of changes; what is open is told of when its container changes. */
  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    return this.#answer(uri, async ({ files, path }) => {
      const stat = await files.stat(path);
      if (stat.kind !== 'link') return statOf(stat, typeOf(stat.kind));
      const end = await files.follow(path).catch((error: unknown) => {
        if (failedWith(error, 'notFound')) return undefined;
        throw error;
      });
      const { SymbolicLink } = vscode.FileType;
      return end
        ? statOf(end.stat, typeOf(end.stat.kind) | SymbolicLink)
        : statOf(stat, SymbolicLink);
    });
  }

  readDirectory(uri: vscode.Uri): Promise<[string, vscode.FileType][]> {
    return this.#answer(uri, async ({ files, path }) => {
      const { entries } = await files.list(path, { isPatient: true });
      return entries.map(({ name, kind, linkTarget }): [string, vscode.FileType] => {
        if (kind !== 'link') return [name, typeOf(kind)];
        const isFolder = files.leadsToFolder(joinPath(path, name), linkTarget);
        return [name, typeOf(isFolder ? 'folder' : 'file') | vscode.FileType.SymbolicLink];
      });
    });
  }

  readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return this.#answer(uri, ({ files, path }) => files.read(path, FILE_LIMIT));
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  writeFile(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  async #answer<T>(uri: vscode.Uri, work: (found: Found) => Promise<T>): Promise<T> {
    const address = parseFileUri(uri);
    if (!address) throw vscode.FileSystemError.FileNotFound(uri);
    try {
      return await work({ files: this.#all.of(address.place), path: address.path });
    } catch (error) {
      throw this.#failure(error, uri);
    }
  }

  #failure(error: unknown, uri: vscode.Uri): Error {
    if (failedWith(error, 'notFound')) return vscode.FileSystemError.FileNotFound(uri);
    if (error instanceof PathKindError && error.kind === 'folder')
      return vscode.FileSystemError.FileIsADirectory(uri);
    if (error instanceof EngineError || error instanceof PathKindError)
      return vscode.FileSystemError.Unavailable(this.#describe(error));
    return asError(error);
  }

  /** Documents that are open read their file again. */
  #tell(place: FileRoot): void {
    const open = vscode.workspace.textDocuments.flatMap(({ uri }) => {
      const address = uri.scheme === FILE_SCHEME ? parseFileUri(uri) : undefined;
      return address && fileRootKey(address.place) === fileRootKey(place) ? [uri] : [];
    });
    if (open.length === 0) return;
    this.#changes.fire(open.map((uri) => ({ type: vscode.FileChangeType.Changed, uri })));
  }
}

function typeOf(kind: PathKind): vscode.FileType {
  const { Directory, File, SymbolicLink, Unknown } = vscode.FileType;
  return { folder: Directory, file: File, link: SymbolicLink, other: Unknown }[kind];
}

function statOf({ size, modifiedAt }: PathStat, type: vscode.FileType): vscode.FileStat {
  const permissions = vscode.FilePermission.Readonly;
  return { type, size, mtime: modifiedAt, ctime: modifiedAt, permissions };
}
