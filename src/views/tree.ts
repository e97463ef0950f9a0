import * as vscode from 'vscode';
import type { Clock } from '../time.ts';
import { DisposableStore, type Disposable } from '../lifetime.ts';
import type { AgeTimer, RelativeTimeRows } from './ageTimer.ts';
import type { Folds } from './folds.ts';
import type { Icon, RenderContext } from './rowPresentation.ts';
import type { TreeNode } from './treeNode.ts';
import { RefreshQueue, type TreeRefresh } from './refreshQueue.ts';
import type { Rows } from './rows.ts';
import { tooltipMarkdown } from './tooltipMarkdown.ts';

/** Shows rows in a view of the editor, and passes on what is to be painted anew. */
export class Tree implements vscode.TreeDataProvider<TreeNode>, Disposable {
  readonly #options: TreeOptions;
  readonly #store = new DisposableStore();
  readonly #changes = this.#store.add(new vscode.EventEmitter<TreeNode | TreeNode[] | undefined>());
  readonly #queue: RefreshQueue;
  readonly #ages: RelativeTimeRows;
  #isAsking = false;

  readonly onDidChangeTreeData = this.#changes.event;

  constructor(options: TreeOptions) {
    this.#options = options;
    this.#queue = this.#store.add(
      new RefreshQueue(options.clock, (refresh) => {
        this.#fire(refresh);
      }),
    );
    this.#ages = options.ages.addView((nodes) => {
      this.#queue.repaint(nodes);
    });
    this.#store.add(
      options.rows.onDidChange((change) => {
        this.#ages.forget(change.gone);
        this.#queue.add(change);
      }),
    );
  }

  /** Ages stand still in a view that nobody sees. */
  setVisible(isVisible: boolean): void {
    this.#ages.setVisible(isVisible);
  }

  /** Tells the editor at once what it does not know yet. */
  flush(): void {
    this.#queue.flush();
  }

  getChildren(node?: TreeNode): vscode.ProviderResult<TreeNode[]> {
    if (node) return [...(node.children ?? [])];
    const known = this.#options.untilKnown();
    return known ? this.#rootsAfter(known) : [...this.#options.rows.roots];
  }

  getParent(node: TreeNode): TreeNode | undefined {
    return node.parent;
  }

  getTreeItem(node: TreeNode): vscode.TreeItem {
    const look = node.present(this.#options.contextOf(node));
    this.#ages.note(node, look.age);
    const item = new vscode.TreeItem(look.label, this.#foldingOf(node));
    item.id = node.id;
    item.description = look.description;
    item.contextValue = look.contextValue;
    item.accessibilityInformation = { label: look.accessibilityLabel };
    if (look.icon) item.iconPath = iconPathOf(look.icon);
    return item;
  }

  /** Only asked for a row that is pointed at: thousands of tooltips are made for nobody. */
  resolveTreeItem(item: vscode.TreeItem, node: TreeNode): vscode.TreeItem {
    const tooltip = new vscode.MarkdownString(
      tooltipMarkdown(node.tooltip(this.#options.contextOf(node))),
    );
    tooltip.isTrusted = false;
    tooltip.supportHtml = false;
    item.tooltip = tooltip;
    return item;
  }

  dispose(): void {
    this.#store.dispose();
  }

  #foldingOf(node: TreeNode): vscode.TreeItemCollapsibleState {
    const { None, Expanded, Collapsed } = vscode.TreeItemCollapsibleState;
    if (!node.children) return None;
    return this.#options.folds.isFolded(node) ? Collapsed : Expanded;
  }

  /** Until then the editor shows its progress bar, and no welcome that would be gone in a moment. */
  async #rootsAfter(known: Promise<unknown>): Promise<TreeNode[]> {
    this.#isAsking = true;
    try {
      await known;
    } finally {
      this.#isAsking = false;
    }
    return [...this.#options.rows.roots];
  }

  #fire(refresh: TreeRefresh): void {
    // The answer that is on its way will have it all.
    if (this.#isAsking) return;
    this.#changes.fire(refresh === 'all' ? undefined : [...refresh]);
  }
}

export interface TreeOptions {
  readonly rows: Rows;
  /** What a row's looks depend on. */
  readonly contextOf: (node: TreeNode) => RenderContext;
  readonly clock: Clock;
  readonly ages: AgeTimer;
  readonly folds: Folds;
  /** Resolves when it is known what there is; undefined where it is known already. */
  readonly untilKnown: () => Promise<unknown> | undefined;
}

function iconPathOf({ id, color }: Icon): vscode.ThemeIcon {
  return new vscode.ThemeIcon(id, color ? new vscode.ThemeColor(color) : undefined);
}
