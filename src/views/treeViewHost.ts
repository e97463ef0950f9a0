import * as vscode from 'vscode';
import { wallClock, whenFound } from '../base/time.ts';
import type { KnownEngine, KnownEngines } from '../inventory/knownEngine.ts';
import { DisposableStore, Emitter, type Disposable } from '../base/lifetime.ts';
import { AgeTimer } from './ageTimer.ts';
import { EngineNode } from './engines/engineNode.ts';
import type { EngineRows } from './engines/engineRows.ts';
import { loadStateOf, type LoadState } from './engines/engineState.ts';
import {
  DRAGGED_TYPE,
  formatDragged,
  parseDragged,
  type DraggedContainers,
} from './draggedContainers.ts';
import type { Folds } from './folds.ts';
import { RefreshQueue, type TreeRefresh, type Rows } from './rows.ts';
import { treeItem, treeTooltip } from './treeItem.ts';
import { GroupNode, type TreeNode } from './treeNode.ts';

/**
 * Maximum time in milliseconds that a view waits for the engine's first response before it shows that it is connecting.
 */
const FIRST_ANSWER_LIMIT = 1000;
/** Maximum time in milliseconds to wait for a row to reveal. */
const REVEAL_LIMIT = 10_000;

/** A VS Code tree view: provides rows, forwards refreshes, and sets the message, description, and badge. */
export class TreeViewHost implements vscode.TreeDataProvider<TreeNode>, Disposable {
  readonly #options: TreeViewHostOptions;
  readonly #store = new DisposableStore();
  readonly #used = this.#store.add(new Emitter<void>());
  readonly #folding = this.#store.add(new Emitter<void>());
  readonly #visibility = this.#store.add(new Emitter<boolean>());
  readonly #changes = this.#store.add(new vscode.EventEmitter<TreeNode[] | undefined>());
  readonly #queue: RefreshQueue;
  readonly #ages: AgeTimer;
  readonly #view: vscode.TreeView<TreeNode>;
  #isAsking = false;
  #revealing = new AbortController();
  #toReveal: TreeNode | undefined;
  #wanted: WantedRow | undefined;

  /** Fires when the user opens the view or selects a row in it. */
  readonly onDidUse = this.#used.event;
  /** Fires when the user opens or folds a row. */
  readonly onDidFold = this.#folding.event;
  /** Fires with whether the view is visible. */
  readonly onDidChangeVisibility = this.#visibility.event;
  readonly onDidChangeTreeData = this.#changes.event;

  constructor(id: string, options: TreeViewHostOptions) {
    this.#options = options;
    this.#queue = this.#store.add(new RefreshQueue(wallClock, this.#fire));
    this.#ages = this.#store.add(new AgeTimer(wallClock, this.#queue.repaint.bind(this.#queue)));
    this.#store.listen(options.rows.onDidChange, (change) => {
      this.#ages.forget(change.gone);
      this.#queue.add(change);
    });
    this.#view = this.#store.add(
      vscode.window.createTreeView<TreeNode>(id, {
        treeDataProvider: this,
        canSelectMany: true,
        showCollapseAll: options.showCollapseAll,
        dragAndDropController: dragAndDrop(options),
      }),
    );
    this.#store.listen(this.#view.onDidChangeVisibility, this.#see);
    this.#store.listen(this.#view.onDidChangeSelection, () => this.#used.fire());
    this.#store.listen(this.#view.onDidCollapseElement, ({ element }) => this.#fold(element, true));
    this.#store.listen(this.#view.onDidExpandElement, ({ element }) => this.#fold(element, false));
  }

  getChildren(node?: TreeNode): vscode.ProviderResult<TreeNode[]> {
    if (node) return this.#childrenOf(node);
    const known = this.#untilKnown();
    return known ? this.#rootsAfter(known) : this.#roots();
  }

  /** VS Code asks for them when the row is expanded. */
  #childrenOf(node: TreeNode): TreeNode[] {
    void this.#options.onExpand?.(node)?.then((nodes) => this.#queue.repaint(nodes));
    return [...(node.children ?? [])];
  }

  getParent(node: TreeNode): TreeNode | undefined {
    return node.parent;
  }

  getTreeItem(node: TreeNode): vscode.TreeItem {
    const look = node.present(this.#options.rows.contextOf(node));
    this.#ages.record(node, look.age);
    // VS Code keeps a row open or folded by its ID.
    const isOpened = this.#opens(node) && this.#options.folds.isFolded(node);
    const { Expanded } = vscode.TreeItemCollapsibleState;
    const item = isOpened
      ? treeItem(`${node.id}/found`, look, Expanded)
      : treeItem(node.id, look, this.#foldingOf(node));
    item.command = this.#options.commandOf?.(node);
    return item;
  }

  /** Refreshes rows whose appearance has changed. */
  repaint(nodes: readonly TreeNode[]): void {
    this.#queue.repaint(nodes);
  }

  /** Whether the rows below a row are shown. */
  isOpen(node: TreeNode): boolean {
    return this.#opens(node) || !this.#options.folds.isFolded(node);
  }

  /** Refreshes all rows, because what all of them depend on has changed. */
  repaintAll(): void {
    this.#fire('all');
  }

  /** Whether the filter opens a folded row, as long as it is on. */
  #opens(node: TreeNode): boolean {
    const isGroup = node instanceof GroupNode || node instanceof EngineNode;
    return isGroup && this.#options.isFiltered?.() === true;
  }

  #fold(node: TreeNode, isFolded: boolean): void {
    if (this.#opens(node)) return;
    this.#options.folds.set(node, isFolded);
    this.#folding.fire();
  }

  /** Called only for a row under the pointer, so that tooltips are not created for thousands of rows. */
  resolveTreeItem(item: vscode.TreeItem, node: TreeNode): vscode.TreeItem {
    item.tooltip = treeTooltip(node.tooltip(this.#options.rows.contextOf(node)));
    return item;
  }

  get isVisible(): boolean {
    return this.#view.visible;
  }

  get selection(): readonly TreeNode[] {
    // The selection of a hidden view is ignored.
    return this.#view.visible ? this.#view.selection : [];
  }

  /** Sets the message above the rows; empty for none. */
  setMessage(message: string): void {
    // Setting the message delays the rows, even if the text does not change.
    if ((this.#view.message ?? '') !== message) this.#view.message = message;
  }

  setDescription(description: string): void {
    if ((this.#view.description ?? '') !== description) this.#view.description = description;
  }

  setBadge(value: number, tooltip: string): void {
    if ((this.#view.badge?.value ?? 0) === value) return;
    this.#view.badge = value === 0 ? undefined : { value, tooltip };
  }

  /**
   * Selects the row of a container or image as soon as it exists and the view is visible. For an image with
   * several tags, selects the row of `reference`, or another row if that one does not appear.
   */
  reveal(engine: string, id: string, reference?: string): void {
    this.#revealing.abort();
    this.#toReveal = undefined;
    this.#wanted = { engine, id, reference };
    // Nothing is listed before a view is opened, so the wait starts then.
    if (this.#knowledge() !== 'unasked') void this.#awaitWanted();
  }

  async #awaitWanted(): Promise<void> {
    const wanted = this.#wanted;
    this.#wanted = undefined;
    if (!wanted) return;
    const { engine, id, reference } = wanted;
    const { signal } = (this.#revealing = new AbortController());
    const { rows } = this.#options;
    const options = { clock: wallClock, limit: REVEAL_LIMIT, signal };
    const find = (): TreeNode | undefined => rows.find(id, reference, engine);
    const found = await whenFound(find, rows.onDidChange, options);
    const node = found ?? rows.find(id, undefined, engine);
    if (signal.aborted || !node) return;
    this.#toReveal = node;
    if (this.#view.visible) this.#revealNow();
  }

  dispose(): void {
    this.#revealing.abort();
    this.#store.dispose();
  }

  #foldingOf(node: TreeNode): vscode.TreeItemCollapsibleState {
    const { None, Expanded, Collapsed } = vscode.TreeItemCollapsibleState;
    if (!node.children) return None;
    return this.#options.folds.isFolded(node) ? Collapsed : Expanded;
  }

  /**
   * Until `known` settles, VS Code shows the progress bar instead of welcome content that would disappear immediately.
   */
  async #rootsAfter(known: Promise<unknown>): Promise<TreeNode[]> {
    this.#isAsking = true;
    try {
      await known;
    } finally {
      this.#isAsking = false;
    }
    return this.#roots();
  }

  #roots(): TreeNode[] {
    this.#queue.rowsRead();
    return [...this.#options.rows.roots];
  }

  readonly #fire = (refresh: TreeRefresh): void => {
    // The pending result of `getChildren` will include the change.
    if (!this.#isAsking) this.#changes.fire(refresh === 'all' ? undefined : [...refresh]);
  };

  readonly #see = ({ visible: isVisible }: vscode.TreeViewVisibilityChangeEvent): void => {
    // Ages are not updated in a hidden view.
    this.#ages.setVisible(isVisible);
    this.#visibility.fire(isVisible);
    if (!isVisible) return;
    this.#used.fire();
    void this.#awaitWanted();
    this.#revealNow();
  };

  #revealNow(): void {
    const node = this.#toReveal;
    this.#toReveal = undefined;
    if (!node) return;
    // VS Code can only reveal a row that it knows.
    this.#queue.flush();
    // A row that was removed in the meantime cannot be revealed.
    this.#view.reveal(node, { select: true, focus: false }).then(undefined, () => undefined);
  }

  #untilKnown(): Promise<unknown> | undefined {
    const { engines, rows } = this.#options;
    // The list of the other view may take longer, so existing rows are shown.
    const isKnown = (): true | undefined =>
      this.#knowledge() !== 'known' && rows.roots.length === 0 ? undefined : true;
    if (isKnown()) return undefined;
    const options = { clock: wallClock, limit: FIRST_ANSWER_LIMIT };
    return whenFound(isKnown, engines.onDidChangeInventory, options);
  }

  /** Returns what is known of all engines. Several engines are always known: each has a row, whatever its state. */
  #knowledge(): LoadState {
    const { engines, stateOf = ({ inventory }) => loadStateOf(inventory.phase) } = this.#options;
    const [only] = engines.all;
    if (!only) return 'known';
    const knowledge = stateOf(only);
    return engines.areSeveral && knowledge === 'awaited' ? 'known' : knowledge;
  }
}

function dragAndDrop({ onDrop }: TreeViewHostOptions): vscode.TreeDragAndDropController<TreeNode> {
  return {
    dragMimeTypes: onDrop ? [] : [DRAGGED_TYPE],
    dropMimeTypes: onDrop ? [DRAGGED_TYPE] : [],
    handleDrag: (nodes, transfer) => {
      const text = formatDragged(nodes);
      if (text !== undefined) transfer.set(DRAGGED_TYPE, new vscode.DataTransferItem(text));
    },
    handleDrop: async (target, transfer) => {
      // VS Code adds an empty item of the same type before the one of the other view.
      const items = [...transfer].filter(([type]) => type === DRAGGED_TYPE);
      const texts = await Promise.all(items.map(([, item]) => item.asString()));
      const dragged = texts.map(parseDragged).find((one) => one !== undefined);
      if (target && dragged) onDrop?.(target, dragged);
    },
  };
}

export interface TreeViewHostOptions {
  readonly rows: EngineRows<Rows>;
  readonly engines: KnownEngines;
  readonly folds: Folds;
  readonly showCollapseAll: boolean;
  readonly isFiltered?: () => boolean;
  /** Called when containers are dropped on a row. Without it, containers can be dragged from the view instead. */
  readonly onDrop?: (target: TreeNode, dragged: DraggedContainers) => void;
  /** Returns the command that a click on a row runs. */
  readonly commandOf?: (node: TreeNode) => vscode.Command | undefined;
  /** Called when a row is expanded; resolves to rows below it that have changed. Never rejects. */
  readonly onExpand?: (node: TreeNode) => Promise<readonly TreeNode[]> | undefined;
  /** Returns whether the objects of the view are known; by default, the state of the connection. */
  readonly stateOf?: (engine: KnownEngine) => LoadState;
}

interface WantedRow {
  readonly engine: string;
  readonly id: string;
  readonly reference: string | undefined;
}
