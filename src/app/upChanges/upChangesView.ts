import * as vscode from 'vscode';
import type { PlacedDifference, ShownUpChanges } from '../../commands/ui/ui.ts';
import { DisposableStore, type Disposable } from '../../base/lifetime.ts';
import type { UpChange } from '../../projects/cli/upChanges.ts';
import { formatLine, joinParts, joinSpoken } from '../../views/format.ts';
import { formatDifference } from './formatDifference.ts';
import {
  formatUpGroup,
  formatUpChange,
  groupUpChanges,
  upChangesMessage,
  type UpChangeGroup,
  type UpChangeRow,
} from './groupUpChanges.ts';
const VIEW = 'gantry.upChanges';

/** The view `gantry.upChanges`: what Up would do, as a tree. It is hidden until it is asked for. */
export class UpChangesView implements vscode.TreeDataProvider<UpChangeRow>, Disposable {
  readonly #store = new DisposableStore();
  readonly #changed = this.#store.add(new vscode.EventEmitter<void>());
  readonly #view: vscode.TreeView<UpChangeRow>;
  #groups: readonly UpChangeGroup[] = [];
  /** So that the rows of new changes do not inherit what was folded in the last ones. */
  #count = 0;

  readonly onDidChangeTreeData = this.#changed.event;

  constructor() {
    this.#view = this.#store.add(vscode.window.createTreeView(VIEW, { treeDataProvider: this }));
  }

  /** Shows these in place of the last ones, and focuses the view; removes the view if undefined. */
  async show(shown: ShownUpChanges | undefined): Promise<void> {
    this.#set(shown);
    // What asks next would lose the focus to it.
    if (shown) await vscode.commands.executeCommand(`${VIEW}.focus`);
  }

  getChildren(row?: UpChangeRow): UpChangeRow[] {
    if (row) return 'rows' in row ? [...row.rows] : [];
    return [...this.#groups];
  }

  getTreeItem(row: UpChangeRow): vscode.TreeItem {
    if ('rows' in row) return this.#groupItem(row);
    return 'action' in row ? changeItem(row) : differenceItem(row);
  }

  dispose(): void {
    this.#store.dispose();
  }

  #groupItem({ kind, rows }: UpChangeGroup): vscode.TreeItem {
    const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    const fold = kind === 'unchanged' ? Collapsed : Expanded;
    const item = new vscode.TreeItem(formatUpGroup(kind), fold);
    item.id = `${this.#count}:${kind}`;
    item.description = String(rows.length);
    return item;
  }

  #set(shown: ShownUpChanges | undefined): void {
    this.#groups = shown ? groupUpChanges(shown) : [];
    this.#count += 1;
    // Before the message, because VS Code refreshes later after one. A refresh while VS Code expands the rows of a view
    // that has just appeared leaves them empty.
    this.#changed.fire();
    // Not the description: a view that is alone in the panel has no header.
    const message = shown ? joinParts(formatLine(shown.name), upChangesMessage(shown.changes)) : '';
    if ((this.#view.message ?? '') !== message) this.#view.message = message;
    void vscode.commands.executeCommand('setContext', VIEW, shown !== undefined);
  }
}

/** The shapes differ because not everyone can distinguish colors. */
const ICONS: Readonly<Record<UpChange['action'], readonly [icon: string, color: string]>> = {
  unchanged: ['check', 'disabledForeground'],
  created: ['add', 'gitDecoration.addedResourceForeground'],
  recreated: ['refresh', 'gitDecoration.modifiedResourceForeground'],
  started: ['play', 'charts.green'],
  orphaned: ['question', 'problemsWarningIcon.foreground'],
  removed: ['trash', 'gitDecoration.deletedResourceForeground'],
  other: ['circle-outline', 'charts.blue'],
};

function changeItem(change: UpChange): vscode.TreeItem {
  const { label, description } = formatUpChange(change);
  const item = new vscode.TreeItem(label);
  const [icon, color] = ICONS[change.action];
  item.iconPath = new vscode.ThemeIcon(icon, new vscode.ThemeColor(color));
  item.description = description;
  // The view can be too narrow for both.
  item.tooltip = joinParts(label, description);
  const action = formatUpGroup(change.action);
  item.accessibilityInformation = { label: joinSpoken(label, action, description) };
  return item;
}

/** Opens the line in the compose file that it comes from. */
function differenceItem(difference: PlacedDifference): vscode.TreeItem {
  const { label, description } = formatDifference(difference);
  const { isShared, place } = difference;
  const item = new vscode.TreeItem(label);
  const theme = isShared ? 'problemsWarningIcon.foreground' : 'charts.blue';
  item.iconPath = new vscode.ThemeIcon(
    isShared ? 'link' : 'arrow-swap',
    new vscode.ThemeColor(theme),
  );
  item.description = description;
  item.tooltip = joinParts(label, description);
  const group = formatUpGroup(isShared ? 'shared' : 'separate');
  item.accessibilityInformation = { label: joinSpoken(label, description, group) };
  if (place) {
    const at = new vscode.Position(place.line, place.column);
    const options: vscode.TextDocumentShowOptions = { selection: new vscode.Range(at, at) };
    const passed = [vscode.Uri.file(place.file), options];
    item.command = { command: 'vscode.open', title: label, arguments: passed };
  }
  return item;
}
