import * as vscode from 'vscode';
import { DisposableStore, Emitter, type Disposable } from '../lifetime.ts';
import type { TreeNode } from '../views/treeNode.ts';
import { tooltipMarkdown } from '../views/tooltipMarkdown.ts';
import type { AllFiles } from './allFiles.ts';
import { FileNode, FileNoteNode, PathNode, FileRootNode } from './fileNode.ts';
import { toFileUri, joinPath, fileRootKey, type FileRoot } from './fileRoot.ts';

const { l10n } = vscode;
// Not `gantry.files`: the editor makes a command `….open` for each view.
const VIEW = 'gantry.fileTree';
const URIS = 'text/uri-list';

/** The view of the files of those containers and images that a person browses. */
export class FilesView
  implements
    vscode.TreeDataProvider<TreeNode>,
    vscode.TreeDragAndDropController<TreeNode>,
    Disposable
{
  readonly dropMimeTypes = [URIS];
  readonly dragMimeTypes = [URIS];
  readonly #all: AllFiles;
  readonly #describe: (error: unknown) => string;
  readonly #store = new DisposableStore();
  readonly #changes = this.#store.add(new vscode.EventEmitter<TreeNode | undefined>());
  readonly #drops = this.#store.add(new Emitter<DroppedFiles>());
  readonly #view: vscode.TreeView<TreeNode>;
  readonly #roots = new Map<string, FileRootNode>();
  /** What ends the long readings of a place. */
  readonly #readings = new Map<string, AbortController>();
  /** Folders that are to be read to the end, however long it takes. */
  readonly #unlimited = new Set<string>();

  readonly onDidChangeTreeData = this.#changes.event;
  readonly onDidDrop = this.#drops.event;

  /** @param describe an error as a sentence. */
  constructor(all: AllFiles, describe: (error: unknown) => string) {
    this.#all = all;
    this.#describe = describe;
    this.#view = this.#store.add(
      vscode.window.createTreeView<TreeNode>(VIEW, {
        treeDataProvider: this,
        dragAndDropController: this,
        showCollapseAll: true,
        canSelectMany: true,
      }),
    );
    this.#store.add(
      all.onDidChange(({ root: changed, isRequested }) => {
        const root = this.#roots.get(fileRootKey(changed));
        if (!root) return;
        if (!all.isThere(changed)) this.close(changed);
        else if (isRequested) this.#changes.fire(root);
      }),
    );
  }

  /** The selected rows. */
  get selection(): readonly TreeNode[] {
    return this.#view.selection;
  }

  /**
   * Shows the files of a place.
   *
   * @param title what its row says.
   */
  async open(place: FileRoot, title: string): Promise<void> {
    const key = fileRootKey(place);
    const root = this.#roots.get(key) ?? new FileRootNode(place, title);
    if (!this.#roots.has(key)) {
      this.#roots.set(key, root);
      await this.#tell();
    }
    await this.#view.reveal(root, { select: true, focus: true, expand: true });
  }

  /** Shows a place no longer. */
  close(place: FileRoot): void {
    const key = fileRootKey(place);
    this.#readings.get(key)?.abort();
    this.#readings.delete(key);
    if (this.#roots.delete(key)) void this.#tell();
  }

  /** Reads all again. */
  refreshAll(): void {
    for (const { root } of this.#roots.values()) this.#all.refresh(root);
  }

  /** Reads a folder to its end that was shown in part. */
  readOn(note: FileNoteNode): void {
    if (!note.parent) return;
    this.#unlimited.add(note.parent.id);
    this.#changes.fire(note.parent);
  }

  async getChildren(node?: TreeNode): Promise<TreeNode[]> {
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
      const note = isFull
        ? l10n.t('Only the first {0} entries are shown.', String(entries.length))
        : l10n.t('This takes long: there may be more. Click to read to the end.');
      return [...inOrder(rows), ...(isWhole ? [] : [new FileNoteNode(node, note, false)])];
    } catch (error) {
      return [new FileNoteNode(node, this.#describe(error), true)];
    }
  }

  getParent(node: TreeNode): TreeNode | undefined {
    return node.parent;
  }

  getTreeItem(node: TreeNode): vscode.TreeItem {
    const look =
      node instanceof PathNode || node instanceof FileNoteNode ? node.present({ l10n }) : undefined;
    const { None, Collapsed } = vscode.TreeItemCollapsibleState;
    const isFolder = node instanceof PathNode && node.isFolder;
    const item = new vscode.TreeItem(look?.label ?? '', isFolder ? Collapsed : None);
    item.id = node.id;
    item.description = look?.description ?? '';
    item.contextValue = look?.contextValue ?? '';
    item.accessibilityInformation = { label: look?.accessibilityLabel ?? '' };
    item.iconPath = new vscode.ThemeIcon(look?.icon?.id ?? 'file');
    if (node instanceof FileNode) this.#asFile(item, node);
    if (node instanceof FileNoteNode && !node.isFailure)
      item.command = { command: 'gantry.files.refresh', title: '', arguments: [node] };
    return item;
  }

  resolveTreeItem(item: vscode.TreeItem, node: TreeNode): vscode.TreeItem {
    if (node instanceof PathNode || node instanceof FileNoteNode) {
      const tooltip = new vscode.MarkdownString(tooltipMarkdown(node.tooltip({ l10n })));
      tooltip.isTrusted = false;
      tooltip.supportHtml = false;
      item.tooltip = tooltip;
    }
    return item;
  }

  handleDrag(nodes: readonly TreeNode[], data: vscode.DataTransfer): void {
    const uris = nodes.flatMap((node) =>
      node instanceof PathNode ? [vscode.Uri.from(toFileUri(node.root, node.path)).toString()] : [],
    );
    data.set(URIS, new vscode.DataTransferItem(uris.join('\r\n')));
  }

  async handleDrop(node: TreeNode | undefined, data: vscode.DataTransfer): Promise<void> {
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
    this.#store.dispose();
  }

  /** Ends once the place is shown no longer. */
  #signalOf(place: FileRoot): AbortSignal {
    const key = fileRootKey(place);
    const controller = this.#readings.get(key) ?? new AbortController();
    this.#readings.set(key, controller);
    return controller.signal;
  }

  /** The icon of the person's theme for files of its kind; a click opens it. */
  #asFile(item: vscode.TreeItem, node: FileNode): void {
    const { kind } = node.entry;
    if (kind === 'file' || kind === 'folder') {
      item.resourceUri = vscode.Uri.from(toFileUri(node.root, node.path));
      item.iconPath = kind === 'file' ? vscode.ThemeIcon.File : vscode.ThemeIcon.Folder;
    }
    if (!node.isFolder && kind !== 'other')
      item.command = { command: 'gantry.files.open', title: '', arguments: [node] };
  }

  /** The view itself is there only while it has something to show. */
  async #tell(): Promise<void> {
    await vscode.commands.executeCommand('setContext', 'gantry.filesOpen', this.#roots.size > 0);
    this.#changes.fire(undefined);
  }
}

/** Files of this machine that were dropped on a folder. */
export interface DroppedFiles {
  readonly node: PathNode;
  readonly uris: readonly vscode.Uri[];
}

/** Folders first, as the editor's own explorer has them. */
function inOrder(rows: readonly FileNode[]): readonly FileNode[] {
  const byName = new Intl.Collator(undefined, { numeric: true });
  return [...rows].sort(
    (a, b) => Number(b.isFolder) - Number(a.isFolder) || byName.compare(a.entry.name, b.entry.name),
  );
}
