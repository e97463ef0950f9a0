import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { DisposableStore, withTokenSignal, type Disposable } from '../base/lifetime.ts';
import { displayText } from '../base/plainText.ts';
import { formatLine, formatSize, joinSpoken } from '../views/format.ts';
import type { ChangeEntry } from './changeTree.ts';
import type { Review } from './review.ts';
import {
  reviewMessage,
  formatExcludedMount,
  rootRows,
  rowsBelow,
  type ReviewRow,
} from './reviewRow.ts';
import type { FileSource } from '../engine/volumes/fileSource.ts';
import { statComparedFile } from './readComparedFile.ts';

/** Maximum number of changes for which all folders start expanded. */
const SEEN_AT_ONCE = 50;

/** The view `gantry.changeTree`: the changes under review, as a tree. */
export class ChangesView implements vscode.TreeDataProvider<ReviewRow>, Disposable {
  readonly #describe: (row: ReviewRow, signal: AbortSignal) => Promise<readonly string[]>;
  readonly #store = new DisposableStore();
  readonly #changed = this.#store.add(new vscode.EventEmitter<ReviewRow[] | undefined>());
  readonly #view: vscode.TreeView<ReviewRow>;
  #review: Review | undefined;
  #sizes: FileSizes | undefined;
  #measuring = new AbortController();
  /** The letters and colors of changed files in VS Code, by kind of change. */
  readonly #decorations: ReadonlyMap<string, vscode.FileDecoration> = new Map([
    ['added', decoration('A', l10n.t('Added'), 'added')],
    ['changed', decoration('M', l10n.t('Changed'), 'modified')],
    ['deleted', decoration('D', l10n.t('Deleted'), 'deleted')],
  ]);

  readonly onDidChangeTreeData = this.#changed.event;

  /** @param describe returns the lines of a row's tooltip; called when the user hovers over the row. */
  constructor(describe: (row: ReviewRow, signal: AbortSignal) => Promise<readonly string[]>) {
    this.#describe = describe;
    this.#view = this.#store.add(
      vscode.window.createTreeView('gantry.changeTree', {
        treeDataProvider: this,
        showCollapseAll: true,
      }),
    );
    this.#store.add(
      vscode.window.registerFileDecorationProvider({
        provideFileDecoration: ({ scheme, query }) =>
          scheme === SCHEME ? this.#decorations.get(query) : undefined,
      }),
    );
  }

  /** Shows a review and replaces the previous one. Clears the view if undefined. */
  show(review: Review | undefined): void {
    this.#review = review;
    this.#measuring.abort();
    this.#measuring = new AbortController();
    // Reading a file of an image requires a temporary container, so sizes are shown only for containers.
    this.#sizes =
      review?.subject.kind === 'container'
        ? new FileSizes(review.subject.after, this.#measuring.signal)
        : undefined;
    // Before the message, because VS Code refreshes later after one, when it may already expand the rows.
    this.#changed.fire(undefined);
    const words = review ? reviewMessage(review) : '';
    if ((this.#view.message ?? '') !== words) this.#view.message = words;
  }

  getChildren(row?: ReviewRow): ReviewRow[] {
    const first = this.#review ? rootRows(this.#review) : [];
    const rows = row ? (rowsBelow(row) ?? []) : first;
    void this.#measure(rows);
    return [...rows];
  }

  getTreeItem(row: ReviewRow): vscode.TreeItem {
    switch (row.kind) {
      case 'entry':
        return this.#entryItem(row);
      case 'rest':
        return folded(row, l10n.t('{0} more', row.size));
      case 'noise':
        return folded(row, l10n.t('System, Cache, and Temporary Files'), String(row.list.size));
      case 'mounts':
        return folded(row, l10n.t('Not Included (Mounts)'), String(row.mounts.length));
      case 'mount': {
        const item = new vscode.TreeItem(formatLine(row.mount.target));
        item.description = formatExcludedMount(row.mount);
        item.iconPath = new vscode.ThemeIcon('database');
        item.contextValue = 'mount';
        return item;
      }
    }
  }

  async resolveTreeItem(
    item: vscode.TreeItem,
    row: ReviewRow,
    token: vscode.CancellationToken,
  ): Promise<vscode.TreeItem> {
    const lines = await withTokenSignal(token, (signal) => this.#describe(row, signal));
    if (lines.length > 0) item.tooltip = displayText(lines.join('\n'));
    return item;
  }

  dispose(): void {
    this.#measuring.abort();
    this.#store.dispose();
  }

  #entryItem(row: ReviewRow & { readonly kind: 'entry' }): vscode.TreeItem {
    const { entry, list } = row;
    const { kind = '' } = entry;
    const { None } = vscode.TreeItemCollapsibleState;
    // An empty folder is collapsible, too. Otherwise VS Code would draw it like a file of its parent folder.
    const isFile = entry.size === 0 && this.#sizes?.isFolder(entry.path) !== true;
    const item = new vscode.TreeItem(formatLine(entry.name), isFile ? None : this.#fold(row));
    item.id = `${list === this.#review?.tree.ignored ? 'noise' : 'main'}:${entry.path}`;
    item.resourceUri = vscode.Uri.from({ scheme: SCHEME, path: entry.path, query: kind });
    item.iconPath = isFile ? vscode.ThemeIcon.File : vscode.ThemeIcon.Folder;
    item.description = this.#sizes?.format(entry.path) ?? '';
    item.contextValue = isFile ? `change.${entry.kind ?? 'changed'}` : 'folder';
    item.accessibilityInformation = {
      label: joinSpoken(formatLine(entry.path), this.#decorations.get(kind)?.tooltip),
    };
    if (isFile) {
      const title = l10n.t('Open Changes');
      item.command = { command: 'gantry.changes.open', title, arguments: [row] };
    }
    return item;
  }

  /** Loads the sizes after the rows are shown, then refreshes those rows. */
  async #measure(rows: readonly ReviewRow[]): Promise<void> {
    const { signal } = this.#measuring;
    const measured = (await this.#sizes?.measure(rows)) ?? [];
    if (measured.length > 0 && !signal.aborted) this.#changed.fire([...measured]);
  }

  #fold({ list }: ReviewRow & { readonly kind: 'entry' }): vscode.TreeItemCollapsibleState {
    const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    const { tree } = this.#review ?? {};
    return list === tree?.main && list.size <= SEEN_AT_ONCE ? Expanded : Collapsed;
  }
}

/**
 * Returns a collapsible row without an icon, like the folders: VS Code indents files next to a row with both
 * icon and twistie.
 */
function folded(row: ReviewRow, label: string, description = ''): vscode.TreeItem {
  const item = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.Collapsed);
  item.id = row.kind === 'rest' ? `rest:${row.folder}:${row.from}` : row.kind;
  item.description = description;
  item.contextValue = row.kind;
  return item;
}

const SCHEME = 'gantry-change';

function decoration(letter: string, words: string, name: string): vscode.FileDecoration {
  const color = new vscode.ThemeColor(`gitDecoration.${name}ResourceForeground`);
  return new vscode.FileDecoration(letter, words, color);
}

/** Maximum number of files to measure per folder. Each costs a request. */
const MOST_IN_FOLDER = 100;
const AT_ONCE = 4;

/** Loads the sizes of the visible files, each once. */
class FileSizes {
  readonly #source: FileSource;
  readonly #signal: AbortSignal;
  readonly #formatted = new Map<string, string>();
  readonly #folders = new Set<string>();

  constructor(side: FileSource, signal: AbortSignal) {
    this.#source = side;
    this.#signal = signal;
  }

  /** Returns the formatted size of a file, or an empty string if it is unknown or not loaded yet. */
  format(path: string): string {
    return this.#formatted.get(path) ?? '';
  }

  /** Returns whether a path without changes below is known to be a folder. The list of changes does not contain it. */
  isFolder(path: string): boolean {
    return this.#folders.has(path);
  }

  /**
   * Loads the sizes of the first hundred files among the rows of one folder. Never rejects: sizes that cannot
   * be loaded are not shown.
   *
   * @returns the rows to refresh, whose size is now known or that turned out to be folders.
   */
  async measure(rows: readonly ReviewRow[]): Promise<readonly ReviewRow[]> {
    const entries = rows.filter((row) => row.kind === 'entry');
    const files = entries.filter(({ entry }) => this.#isUnknown(entry)).slice(0, MOST_IN_FOLDER);
    const queue = files.values();
    const worker = async (): Promise<void> => {
      for (const { entry } of queue) await this.#ask(entry.path);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return files.filter(({ entry: { path } }) => this.format(path) !== '' || this.isFolder(path));
  }

  #isUnknown({ path, kind, size }: ChangeEntry): boolean {
    return size === 0 && kind !== 'deleted' && !this.#formatted.has(path);
  }

  async #ask(path: string): Promise<void> {
    if (this.#signal.aborted) return;
    this.#formatted.set(path, '');
    const stat = await statComparedFile(this.#source, path, this.#signal).catch(() => undefined);
    if (stat?.kind === 'folder') this.#folders.add(path);
    if (stat?.kind === 'file') this.#formatted.set(path, formatSize(stat.size));
  }
}
