import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { asList } from '../engine/wire/wire.ts';
import { DisposableStore, Emitter, type Disposable, type Memento } from '../base/lifetime.ts';
import { delay } from '../base/time.ts';
import { tooltipRows } from '../views/rowPresentation.ts';
import { treeItem, treeTooltip } from '../views/treeItem.ts';
import type { AllFiles } from './allFiles.ts';
import { FileNode, FileNoteNode, PathNode, FileRootNode } from './fileNode.ts';
import { readOnlyText } from './readOnlyText.ts';
import {
  toFileUri,
  joinPath,
  fileRootKey,
  splitPath,
  OPEN_FILES_KEY,
  readFileRoot,
  type FileRoot,
} from './fileRoot.ts';
// Not `gantry.files`: VS Code generates a command `….open` for each view.
const VIEW = 'gantry.fileTree';
const URIS = 'text/uri-list';
/** Maximum number of containers, images and volumes that are shown again in the next window: those opened last. */
const MOST_KEPT = 20;
/** How often the row of what was opened is revealed until VS Code has drawn it, and the pause between, in milliseconds. */
const REVEAL_TRIES = 40;
const REVEAL_PAUSE_MS = 50;

/** The Files view: the files of the containers and images that the user opened. */
export class FilesView
  implements
    vscode.TreeDataProvider<FilesNode>,
    vscode.TreeDragAndDropController<FilesNode>,
    Disposable
{
  readonly dropMimeTypes = [URIS];
  readonly dragMimeTypes = [URIS];
  readonly #all: AllFiles;
  readonly #describe: (error: unknown) => string;
  readonly #memory: Memento;
  readonly #store = new DisposableStore();
  readonly #changes = this.#store.add(new vscode.EventEmitter<FilesNode | undefined>());
  readonly #drops = this.#store.add(new Emitter<{ node: PathNode; uris: readonly vscode.Uri[] }>());
  readonly #view: vscode.TreeView<FilesNode>;
  readonly #roots = new Map<string, FileRootNode>();
  /** By root key. */
  readonly #watches = new Map<string, Disposable>();
  /** Aborts the patient reads of a container or image, by root key. */
  readonly #readings = new Map<string, AbortController>();
  /** Keys of the roots that are expanded at first: VS Code does not expand a row of a view that is only just there. */
  readonly #expanded = new Set<string>();
  /** Whether programs could run when a root was shown, by the ID of its row. */
  readonly #running = new Map<string, boolean>();
  /** IDs of the folders to read completely, without the timeout. */
  readonly #unlimited = new Set<string>();

  readonly onDidChangeTreeData = this.#changes.event;
  /** Fires when local files are dropped on a folder. */
  readonly onDidDrop = this.#drops.event;

  /** @param options.onShow called when the view becomes visible. */
  constructor(all: AllFiles, { describe, memory, onShow }: FilesViewOptions) {
    this.#all = all;
    this.#describe = describe;
    this.#memory = memory;
    this.#view = this.#store.add(
      vscode.window.createTreeView<FilesNode>(VIEW, {
        treeDataProvider: this,
        dragAndDropController: this,
        showCollapseAll: true,
        canSelectMany: true,
      }),
    );
    this.#store.listen(all.onDidChange, ({ root: changed, isRequested }) => {
      const node = this.#roots.get(fileRootKey(changed));
      // What can be done with the rows differs.
      const before = node && this.#running.get(node.id);
      const isOther = before !== undefined && before !== all.canRun(changed);
      if (node && (isRequested || isOther)) this.#changes.fire(node);
    });
    const see = (isVisible: boolean): void => {
      if (!isVisible) return;
      // It may be the only view that is open.
      onShow();
      this.#watchAll();
    };
    this.#store.listen(this.#view.onDidChangeVisibility, ({ visible }) => see(visible));
    this.#store.listen(all.onDidRemove, () => {
      for (const node of [...this.#roots.values()]) {
        if (all.isThere(node.root)) this.#rename(node);
        else this.close(node.root);
      }
    });
  }

  get selection(): readonly FilesNode[] {
    return this.#view.selection;
  }

  /** Shows the files of a container or image and reveals its row. */
  async open(root: FileRoot, titleOf?: (name: string) => string): Promise<void> {
    const key = fileRootKey(root);
    const node = this.#roots.get(key) ?? new FileRootNode(root, titleOf);
    if (!this.#roots.has(key)) {
      this.#roots.set(key, node);
      this.#expanded.add(key);
      this.#watchAll();
      await this.#update();
    }
    // Opens the view, which then asks for its rows: only a row that VS Code knows can be revealed.
    await vscode.commands.executeCommand(`${VIEW}.focus`);
    await this.#revealRoot(node);
  }

  /**
   * Shows what an earlier window has shown. Sends no request before the view is visible.
   *
   * @param titleOf returns what shows the names of an engine's containers, images and volumes.
   */
  async restore(
    titleOf: (engine: string) => ((name: string) => string) | undefined,
  ): Promise<void> {
    const kept = asList(this.#memory.get(OPEN_FILES_KEY)).flatMap((one) => readFileRoot(one) ?? []);
    for (const root of kept.slice(-MOST_KEPT)) {
      const key = fileRootKey(root);
      if (this.#roots.has(key) || !this.#all.isThere(root)) continue;
      this.#roots.set(key, new FileRootNode(root, titleOf(root.engine)));
    }
    if (this.#view.visible) this.#watchAll();
    await this.#update();
  }

  /** Selects the row of a path if the view shows it. Never rejects. */
  async show(root: FileRoot, path: string): Promise<void> {
    let node: FilesNode | undefined = this.#roots.get(fileRootKey(root));
    for (const name of splitPath(path)) {
      const below: readonly FilesNode[] = node ? await this.getChildren(node) : [];
      node = below.find((one) => one instanceof FileNode && one.entry.name === name);
    }
    if (!node || !this.#view.visible) return;
    await this.#view.reveal(node, { select: true, focus: true }).then(undefined, () => undefined);
  }

  /** Removes a container or image from the view. */
  close(root: FileRoot): void {
    const key = fileRootKey(root);
    this.#readings.get(key)?.abort();
    this.#readings.delete(key);
    this.#expanded.delete(key);
    this.#watches.get(key)?.dispose();
    this.#watches.delete(key);
    if (this.#roots.delete(key)) void this.#update();
  }

  refreshAll(): void {
    for (const { root: node } of this.#roots.values()) this.#all.refresh(node);
  }

  /** Reads an incomplete folder to the end. */
  readOn(note: FileNoteNode): void {
    this.#unlimited.add(note.folder.id);
    this.#changes.fire(note.folder);
  }

  async getChildren(node?: FilesNode): Promise<FilesNode[]> {
    if (!node) return [...this.#roots.values()];
    if (!(node instanceof PathNode)) return [];
    const isPatient = this.#unlimited.delete(node.id);
    try {
      const files = this.#all.of(node.root);
      const signal = isPatient ? this.#signalOf(node.root) : undefined;
      const { entries, isWhole, isFull } = await files.list(node.path, { isPatient, signal });
      const rows = entries.map((entry) => {
        const path = joinPath(node.path, entry.name);
        const isLink = entry.kind === 'link' && files.leadsToFolder(path, entry.linkTarget);
        return new FileNode(node, entry, entry.kind === 'folder' || isLink);
      });
      if (isWhole && rows.length === 0) return [new FileNoteNode(node, emptyText(node), 'empty')];
      const note = isFull
        ? l10n.t('Only the first {0} entries are shown.', String(entries.length))
        : l10n.t('Large folder. Select to load the rest.');
      return [...inOrder(rows), ...(isWhole ? [] : [new FileNoteNode(node, note, 'partial')])];
    } catch (error) {
      return [new FileNoteNode(node, this.#describe(error), 'failed')];
    }
  }

  getParent(node: FilesNode): FilesNode | undefined {
    return node.parent instanceof PathNode ? node.parent : undefined;
  }

  getTreeItem(node: FilesNode): vscode.TreeItem {
    const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    const isFolder = node instanceof PathNode && node.isFolder;
    const isExpanded = node instanceof FileRootNode && this.#expanded.has(fileRootKey(node.root));
    const folding = isExpanded ? Expanded : isFolder ? Collapsed : None;
    const item = treeItem(node.id, node.present(), folding);
    if (node instanceof PathNode && node.root.kind === 'container') this.#addState(item, node);
    if (node instanceof FileNode) this.#asFile(item, node);
    if (node instanceof FileNoteNode && node.kind === 'partial')
      item.command = { command: 'gantry.files.refresh', title: '', arguments: [node] };
    return item;
  }

  async resolveTreeItem(item: vscode.TreeItem, node: FilesNode): Promise<vscode.TreeItem> {
    const readOnly =
      node instanceof FileNode && !node.isFolder ? await this.#whyReadOnly(node) : '';
    item.tooltip = treeTooltip([...node.tooltip(), ...tooltipRows([l10n.t('Note'), readOnly])]);
    return item;
  }

  handleDrag(nodes: readonly FilesNode[], data: vscode.DataTransfer): void {
    const uris = nodes.flatMap((node) =>
      node instanceof PathNode ? [vscode.Uri.from(toFileUri(node.root, node.path)).toString()] : [],
    );
    data.set(URIS, new vscode.DataTransferItem(uris.join('\r\n')));
  }

  async handleDrop(node: FilesNode | undefined, data: vscode.DataTransfer): Promise<void> {
    const text = await data.get(URIS)?.asString();
    const [only] = this.#roots.size === 1 ? this.#roots.values() : [];
    const target = node instanceof PathNode ? node : only;
    const lines = (text ?? '')
      .split(/\r?\n/)
      .filter((line) => line !== '' && !line.startsWith('#'));
    const uris = lines
      .map((line) => vscode.Uri.parse(line))
      .filter(({ scheme }) => scheme === 'file');
    if (target && uris.length > 0) this.#drops.fire({ node: target, uris });
  }

  dispose(): void {
    for (const controller of this.#readings.values()) controller.abort();
    for (const watch of this.#watches.values()) watch.dispose();
    this.#store.dispose();
  }

  /** Adds whether programs can run in the container, which can change its files. */
  #addState(item: vscode.TreeItem, node: PathNode): void {
    const isRunning = this.#all.canRun(node.root);
    if (node instanceof FileRootNode) this.#running.set(node.id, isRunning);
    if (isRunning) item.contextValue = `${item.contextValue ?? ''}.running`;
  }

  /** Returns an empty text if the file can be written, or the engine does not answer. */
  async #whyReadOnly({ root, path }: FileNode): Promise<string> {
    const why = await this.#all.whyReadOnly(root, path).catch(() => undefined);
    return why ? readOnlyText(why.reason, why.mount?.target) : '';
  }

  /**
   * Selects the row of a container, image or volume that was opened. VS Code refuses as long as it has received the row but
   * not drawn it, does nothing as long as it has not received it, and has no event for either.
   */
  async #revealRoot(node: FileRootNode): Promise<void> {
    const options = { select: true, focus: true, expand: true };
    const isClosed = (): boolean => !this.#roots.has(fileRootKey(node.root));
    for (let left = REVEAL_TRIES; left > 0 && !isClosed(); left -= 1) {
      await this.#view.reveal(node, options).then(undefined, () => undefined);
      if (this.#view.selection.includes(node)) return;
      await delay(REVEAL_PAUSE_MS);
    }
  }

  /** Updates a row to the current name of its container. */
  #rename(node: FileRootNode): void {
    const name = this.#all.nameOf(node.root);
    if (name === node.root.name) return;
    this.#roots.set(fileRootKey(node.root), node.renamed(name));
    this.#remember();
    this.#changes.fire(undefined);
  }

  /** Returns a signal that aborts when the container or image is removed from the view. */
  #signalOf(root: FileRoot): AbortSignal {
    const key = fileRootKey(root);
    const controller = this.#readings.get(key) ?? new AbortController();
    this.#readings.set(key, controller);
    return controller.signal;
  }

  /** Sets the icon from the file icon theme, and the command that opens the file on click. */
  #asFile(item: vscode.TreeItem, node: FileNode): void {
    const { kind } = node.entry;
    if (kind === 'file' || kind === 'folder') {
      item.resourceUri = vscode.Uri.from(toFileUri(node.root, node.path));
      item.iconPath = kind === 'file' ? vscode.ThemeIcon.File : vscode.ThemeIcon.Folder;
    }
    // VS Code's own command keeps the focus in the rows on a single click, as in the Explorer: a key such as Delete that
    // follows must not reach the editor.
    if (!node.isFolder && kind !== 'other') {
      const uri = vscode.Uri.from(toFileUri(node.root, node.path));
      item.command = { command: 'vscode.open', title: '', arguments: [uri] };
    }
  }

  /** Begins to notice that a root is gone. */
  #watchAll(): void {
    for (const [key, { root }] of this.#roots)
      if (!this.#watches.has(key)) this.#watches.set(key, this.#all.watch(root));
  }

  #remember(): void {
    const roots = [...this.#roots.values()].map(({ root }) => root);
    // Rejects while the window closes.
    this.#memory
      .update(OPEN_FILES_KEY, roots.length === 0 ? undefined : roots.slice(-MOST_KEPT))
      .then(undefined, () => undefined);
  }

  /** Shows the view only while it has contents. */
  async #update(): Promise<void> {
    this.#remember();
    await vscode.commands.executeCommand('setContext', 'gantry.filesOpen', this.#roots.size > 0);
    this.#changes.fire(undefined);
  }
}

function emptyText({ parent, root }: PathNode): string {
  return !parent && root.kind === 'volume' ? l10n.t('empty volume') : l10n.t('empty folder');
}

export interface FilesViewOptions {
  /** Returns the error message to show to the user. */
  readonly describe: (error: unknown) => string;
  /** Storage of the workspace. */
  readonly memory: Memento;
  readonly onShow: () => void;
}

type FilesNode = PathNode | FileNoteNode;

/** Sorts folders first, like the Explorer of VS Code. */
function inOrder(rows: readonly FileNode[]): readonly FileNode[] {
  const byName = new Intl.Collator(undefined, { numeric: true });
  return [...rows].sort(
    (a, b) => Number(b.isFolder) - Number(a.isFolder) || byName.compare(a.entry.name, b.entry.name),
  );
}
