import * as vscode from 'vscode';
import type { ChangeKind } from '../engine/containers/listChanges.ts';
import { DisposableStore, signalOf, type Disposable } from '../lifetime.ts';
import { displayText } from '../plainText.ts';
import { formatLine } from '../views/format.ts';
import type { Review } from './review.ts';
import { FileSizes } from './fileSizes.ts';
import {
  formatChangeCounts,
  reviewMessage,
  formatExcludedMount,
  rootRows,
  rowsBelow,
  type ReviewRow,
} from './reviewRow.ts';

const { l10n } = vscode;

/** Up to so many changes all folders are open from the start. */
const SEEN_AT_ONCE = 50;

/** The view `gantry.changeTree`: what is reviewed, as a tree. */
export class ChangesView implements vscode.TreeDataProvider<ReviewRow>, Disposable {
  readonly #options: ChangesViewOptions;
  readonly #store = new DisposableStore();
  readonly #changed = this.#store.add(new vscode.EventEmitter<ReviewRow[] | undefined>());
  readonly #view: vscode.TreeView<ReviewRow>;
  #review: Review | undefined;
  #sizes: FileSizes | undefined;
  #measuring = new AbortController();

  readonly onDidChangeTreeData = this.#changed.event;

  constructor(options: ChangesViewOptions) {
    this.#options = options;
    this.#view = this.#store.add(
      vscode.window.createTreeView('gantry.changeTree', {
        treeDataProvider: this,
        showCollapseAll: true,
      }),
    );
    this.#store.add(vscode.window.registerFileDecorationProvider(new ChangeColors()));
  }

  /** Shows a review in place of the one before; none for undefined. */
  show(review: Review | undefined): void {
    this.#review = review;
    this.#measuring.abort();
    this.#measuring = new AbortController();
    // To look at a file of an image takes a container of it: not for every row.
    this.#sizes =
      review?.subject.kind === 'container'
        ? new FileSizes(review.subject.after, this.#measuring.signal)
        : undefined;
    this.#view.description = review ? descriptionOf(review) : '';
    const words = review ? reviewMessage(review, l10n) : '';
    if ((this.#view.message ?? '') !== words) this.#view.message = words;
    this.#changed.fire(undefined);
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
        return folded(row, l10n.t('Probably of no interest'), String(row.list.size));
      case 'mounts':
        return folded(row, l10n.t('Not included'), String(row.mounts.length));
      case 'mount': {
        const item = new vscode.TreeItem(formatLine(row.mount.target));
        item.description = formatExcludedMount(row.mount, l10n);
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
    const follower = signalOf(token);
    try {
      const lines = await this.#options.tell(row, follower.signal);
      if (lines.length > 0) item.tooltip = displayText(lines.join('\n'));
    } finally {
      follower.dispose();
    }
    return item;
  }

  dispose(): void {
    this.#measuring.abort();
    this.#store.dispose();
  }

  #entryItem(row: ReviewRow & { readonly kind: 'entry' }): vscode.TreeItem {
    const { entry, list } = row;
    const { None } = vscode.TreeItemCollapsibleState;
    // An empty folder has a twistie, too: without one it would be drawn as a file of the folder above it.
    const isFile = entry.size === 0 && this.#sizes?.isFolder(row) !== true;
    const item = new vscode.TreeItem(formatLine(entry.name), isFile ? None : this.#fold(row));
    item.id = `${list === this.#review?.tree.ignored ? 'noise' : 'main'}:${entry.path}`;
    item.resourceUri = changeUri(entry.path, entry.kind);
    item.iconPath = isFile ? vscode.ThemeIcon.File : vscode.ThemeIcon.Folder;
    item.description = this.#sizes?.format(row) ?? '';
    item.contextValue = isFile ? `change.${entry.kind ?? 'changed'}` : 'folder';
    item.accessibilityInformation = {
      label: [formatLine(entry.path), formatKind(entry.kind)]
        .filter((part) => part !== '')
        .join(', '),
    };
    if (isFile) {
      const title = l10n.t('Open Changes');
      item.command = { command: 'gantry.changes.open', title, arguments: [row] };
    }
    return item;
  }

  /** The rows are there first, their sizes come after. */
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

/** What the view asks for. */
export interface ChangesViewOptions {
  /** Words on a row that is pointed at; asked for only then. */
  readonly tell: (row: ReviewRow, signal: AbortSignal) => Promise<readonly string[]>;
}

/** Without an icon, as the folders beside it: the editor indents files beside a row that has both icon and twistie. */
function folded(row: ReviewRow, label: string, description = ''): vscode.TreeItem {
  const item = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.Collapsed);
  item.id = row.kind === 'rest' ? `rest:${row.folder}:${row.from}` : row.kind;
  item.description = description;
  item.contextValue = row.kind;
  return item;
}

function descriptionOf({ subject, tree }: Review): string {
  return `${formatLine(subject.name)} · ${formatChangeCounts(tree.counts, l10n)}`;
}

function formatKind(kind: ChangeKind | undefined): string {
  switch (kind) {
    case 'added':
      return l10n.t('Added');
    case 'changed':
      return l10n.t('Changed');
    case 'deleted':
      return l10n.t('Deleted');
    case undefined:
      return '';
  }
}

const SCHEME = 'gantry-change';

/** Gives changed paths the letters and colours that changed files have in the editor everywhere. */
class ChangeColors implements vscode.FileDecorationProvider {
  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    if (uri.scheme !== SCHEME) return undefined;
    switch (uri.query) {
      case 'added':
        return decoration('A', vscode.l10n.t('Added'), 'addedResourceForeground');
      case 'changed':
        return decoration('M', vscode.l10n.t('Changed'), 'modifiedResourceForeground');
      case 'deleted':
        return decoration('D', vscode.l10n.t('Deleted'), 'deletedResourceForeground');
      default:
        return undefined;
    }
  }
}

/** What stands for a changed path in the view: gives it the icon of its kind of file, and its colour. */
function changeUri(path: string, kind: ChangeKind | undefined): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path, query: kind ?? '' });
}

function decoration(letter: string, words: string, color: string): vscode.FileDecoration {
  return new vscode.FileDecoration(letter, words, new vscode.ThemeColor(`gitDecoration.${color}`));
}
