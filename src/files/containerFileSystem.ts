import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { oneLine } from '../base/plainText.ts';
import {
  FileConflictError,
  FileReadOnlyError,
  PathExistsError,
  FileWriteError,
} from '../engine/files/fileErrors.ts';
import { WRITE_LIMIT } from '../engine/files/judgeWrite.ts';
import { asError, EngineError, failedWith, unlessNotFound } from '../engine/errors.ts';
import {
  NameEncodingError,
  PathKindError,
  type PathKind,
  type PathStat,
} from '../engine/archive/pathStat.ts';
import { VolumeUnmountedError } from '../engine/volumes/volumeErrors.ts';
import type { AllFiles, FilesChange } from './allFiles.ts';
import { TreeFileSystem } from './changes/treeFileSystem.ts';
import { FILE_SCHEME, joinPath, fileRootKey, parseFileUri, toFileUri } from './fileRoot.ts';
import { FileSaver, type OpenedFile, type SaveUi, type SeenStat } from './fileSaver.ts';
import type { FileTreeReader } from './fileTreeReader.ts';

/** Largest file that can be opened as a document, in bytes. VS Code asks for confirmation at a tenth of this size. */
const FILE_LIMIT = 512 * 1024 * 1024;

/** Reads and saves the files of containers for VS Code's editors, and reports those that changed. */
export class ContainerFileSystem implements Access, vscode.Disposable {
  readonly #all: AllFiles;
  readonly #describe: (error: unknown) => string;
  readonly #ui: SaveUi;
  readonly #saver: FileSaver;
  /** What VS Code was told last of each file, by URI. */
  readonly #stats = new Map<string, SeenStat>();
  /** Why files are read-only that only a process in their container could tell of. */
  readonly #refused = new Map<string, FileReadOnlyError>();
  /** The files that were opened in this window. */
  readonly #opened = new Set<string>();
  readonly #changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly #subscriptions: vscode.Disposable;

  /** Changes files and folders as a whole. */
  readonly tree: TreeFileSystem;
  readonly onDidChangeFile = this.#changes.event;

  constructor(all: AllFiles, describe: (error: unknown) => string, ui: SaveUi) {
    this.#all = all;
    this.#describe = describe;
    this.#ui = ui;
    this.#saver = new FileSaver(all, ui);
    this.tree = new TreeFileSystem(all, describe, (error, uri) => this.#failure(error, uri));
    this.#subscriptions = vscode.Disposable.from(
      this.#changes,
      all.onDidChange(this.#notify),
      this.tree.report((events) => this.#changes.fire(events)),
      vscode.workspace.onDidOpenTextDocument(({ uri }) => void this.#open(uri)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        const file = document.uri.scheme === FILE_SCHEME ? parseFileUri(document.uri) : undefined;
        if (file) this.#saver.adopt(file, document);
      }),
    );
  }

  stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    return this.#answer(uri, async (files, file) => {
      const [stat, isReadOnly] = await Promise.all([
        files.stat(file.path),
        this.#isReadOnly(uri, file),
      ]);
      if (stat.kind !== 'link')
        return this.#told(uri, file, statOf(stat, typeOf(stat.kind), isReadOnly));
      const end = await unlessNotFound(files.follow(file.path));
      const { SymbolicLink } = vscode.FileType;
      return end
        ? this.#told(uri, file, statOf(end.stat, typeOf(end.stat.kind) | SymbolicLink, isReadOnly))
        : statOf(stat, SymbolicLink, isReadOnly);
    });
  }

  readDirectory(uri: vscode.Uri): Promise<[string, vscode.FileType][]> {
    return this.#answer(uri, async (files, { path }) => {
      const { entries } = await files.list(path, { isPatient: true });
      return entries.map(({ name, kind, linkTarget }): [string, vscode.FileType] => {
        if (kind !== 'link') return [name, typeOf(kind)];
        const isFolder = files.leadsToFolder(joinPath(path, name), linkTarget);
        return [name, typeOf(isFolder ? 'folder' : 'file') | vscode.FileType.SymbolicLink];
      });
    });
  }

  readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return this.#answer(uri, async (files, file) => {
      const contents = await files.read(file.path, FILE_LIMIT);
      if (!isCopy(uri)) {
        const stat = this.#stats.get(uri.toString()) ?? NO_STAMP;
        this.#saver.remember(file, contents, stat, documentOf(uri));
      }
      return contents;
    });
  }

  async writeFile(
    uri: vscode.Uri,
    contents: Uint8Array,
    options: { readonly create: boolean; readonly overwrite: boolean },
  ): Promise<void> {
    const { root, path } = parseFileUri(uri) ?? {};
    if (!root || path === undefined || isCopy(uri)) throw vscode.FileSystemError.NoPermissions(uri);
    const file = { root, path };
    const key = uri.toString();
    const shown = this.#stats.get(key);
    const isOpen = documentOf(uri) !== undefined;
    try {
      await this.#saver.save(file, contents, { ...options, isOpen, shown });
      this.#all.of(root).drop();
      if (!shown) this.#changes.fire([{ type: vscode.FileChangeType.Created, uri }]);
    } catch (error) {
      this.#offer(uri, file, error);
      throw this.#failure(error, uri);
    } finally {
      if (!shown) this.#all.refresh(root);
    }
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  /** @param work called with the reader and what the URI points to. */
  async #answer<T>(
    uri: vscode.Uri,
    work: (files: FileTreeReader, file: OpenedFile) => Promise<T>,
  ): Promise<T> {
    const address = parseFileUri(uri);
    if (!address) throw vscode.FileSystemError.FileNotFound(uri);
    try {
      return await work(this.#all.of(address.root), address);
    } catch (error) {
      throw this.#failure(error, uri);
    }
  }

  #failure(error: unknown, uri: vscode.Uri): Error {
    if (failedWith(error, 'notFound')) return vscode.FileSystemError.FileNotFound(uri);
    if (error instanceof PathKindError && error.kind === 'folder')
      return vscode.FileSystemError.FileIsADirectory(uri);
    if (error instanceof PathExistsError) return vscode.FileSystemError.FileExists(uri);
    if (error instanceof FileReadOnlyError)
      return vscode.FileSystemError.NoPermissions(this.#describe(error));
    const isKnown =
      error instanceof EngineError ||
      error instanceof PathKindError ||
      error instanceof NameEncodingError ||
      error instanceof FileConflictError ||
      error instanceof FileWriteError ||
      error instanceof VolumeUnmountedError;
    if (isKnown) return vscode.FileSystemError.Unavailable(this.#describe(error));
    return asError(error);
  }

  /** Offers what can be done about a file that was not saved. */
  #offer(uri: vscode.Uri, file: OpenedFile, error: unknown): void {
    if (error instanceof FileConflictError) {
      const overwrite = async (): Promise<void> => {
        this.#saver.allow(file, error);
        await vscode.workspace.save(uri);
      };
      const compare = { title: l10n.t('Compare'), run: () => compareWithContainer(uri, file) };
      const actions = [{ title: l10n.t('Overwrite'), run: overwrite }];
      this.#ui.warn(
        this.#describe(error),
        ...(error.hash === undefined ? [] : [compare]),
        ...actions,
      );
      return;
    }
    const isGone = failedWith(error, 'notFound') || error instanceof FileWriteError;
    const next = isGone ? this.#all.replacementOf(file.root) : undefined;
    if (!next) return;
    const words = l10n.t(
      'The container {0} was removed. {1} was not saved in it, and can be opened in {2}.',
      ...[file.root.name, file.path, next.name].map((one) => oneLine(one, 200)),
    );
    const target = vscode.Uri.from(toFileUri(next, file.path));
    const open = (): unknown => vscode.commands.executeCommand('vscode.open', target);
    this.#ui.warn(words, { title: l10n.t('Open in the New Container'), run: open });
  }

  /** Says once why a file that is opened is read-only, and offers the one of this machine that it is. */
  async #open(uri: vscode.Uri): Promise<void> {
    const file = uri.scheme === FILE_SCHEME && !isCopy(uri) ? parseFileUri(uri) : undefined;
    if (!file || this.#opened.has(uri.toString())) return;
    this.#opened.add(uri.toString());
    try {
      const [local, known] = await Promise.all([
        this.#all.localPath(file.root, file.path),
        this.#all.whyReadOnly(file.root, file.path),
      ]);
      const why = known
        ? new FileReadOnlyError(file.path, known.reason, known.mount?.target)
        : await this.#study(uri, file);
      const words = [
        ...(why ? [this.#describe(why)] : []),
        ...(local === undefined ? [] : [l10n.t('It is mounted from this machine.')]),
      ];
      if (words.length === 0) return;
      const open = (): unknown =>
        vscode.commands.executeCommand('vscode.open', vscode.Uri.file(local ?? ''));
      const action = { title: l10n.t('Open Local File'), run: open };
      const name = oneLine(file.path.split('/').pop() ?? '', 80);
      this.#ui.info(`${name}: ${words.join(' ')}`, ...(local === undefined ? [] : [action]));
    } catch {
      // The editor shows what fails.
    }
  }

  async #study(uri: vscode.Uri, file: OpenedFile): Promise<FileReadOnlyError | undefined> {
    if (!(await this.#all.asksProcesses(file.root))) return undefined;
    const why = await this.#saver.study(file);
    if (!why) return undefined;
    this.#refused.set(uri.toString(), why);
    this.#changes.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    return why;
  }

  async #isReadOnly(uri: vscode.Uri, { root, path }: OpenedFile): Promise<boolean> {
    if (isCopy(uri) || this.#refused.has(uri.toString())) return true;
    // What cannot be asked now is decided when the file is saved.
    const why = await this.#all.whyReadOnly(root, path).catch(() => undefined);
    return why !== undefined;
  }

  #told(uri: vscode.Uri, file: OpenedFile, stat: vscode.FileStat): vscode.FileStat {
    const stamp = { modifiedAt: stat.mtime, size: stat.size };
    this.#stats.delete(uri.toString());
    this.#stats.set(uri.toString(), stamp);
    const [oldest = ''] = this.#stats.keys();
    if (this.#stats.size > MOST_STATS) this.#stats.delete(oldest);
    this.#saver.see(file, stamp);
    return stat;
  }

  /** Fires a change event for open documents, so that VS Code reads them again. */
  readonly #notify = ({ root }: FilesChange): void => {
    this.#refused.clear();
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

function statOf(
  { size, modifiedAt }: PathStat,
  type: vscode.FileType,
  isReadOnly: boolean,
): vscode.FileStat {
  const isTooLarge = size > WRITE_LIMIT;
  return {
    type,
    size,
    mtime: modifiedAt,
    ctime: modifiedAt,
    ...((isReadOnly || isTooLarge) && { permissions: vscode.FilePermission.Readonly }),
  };
}

function documentOf(uri: vscode.Uri): vscode.TextDocument | undefined {
  const key = uri.toString();
  return vscode.workspace.textDocuments.find((one) => one.uri.toString() === key);
}

/** Opens what the container has now beside the editor. */
async function compareWithContainer(uri: vscode.Uri, { root, path }: OpenedFile): Promise<void> {
  const copy = uri.with({ query: `${uri.query}&${COPY}=${Date.now()}` });
  const name = oneLine(path.split('/').pop() ?? '', 80);
  const title = l10n.t('{0}: in {1} ↔ in the editor', name, oneLine(root.name, 80));
  await vscode.commands.executeCommand('vscode.diff', copy, uri, title);
}

/** The word of a URI that shows what a container has, beside the document of the same file. */
const COPY = 'copy';

function isCopy({ query }: vscode.Uri): boolean {
  return new URLSearchParams(query).has(COPY);
}

const NO_STAMP: SeenStat = { modifiedAt: 0, size: 0 };

/** Maximum number of files of which it is known what VS Code was told. */
const MOST_STATS = 2000;

type Access = Pick<
  vscode.FileSystemProvider,
  'onDidChangeFile' | 'stat' | 'readDirectory' | 'readFile' | 'writeFile'
>;
