import { DisposableStore, Emitter, type Disposable, type Event } from '../base/lifetime.ts';
import type { TreeNode } from './treeNode.ts';
import { Throttle, type Clock } from '../base/time.ts';

/** The rows of one view, or of one engine in it, kept in sync with the inventory. */
export abstract class Rows implements Disposable {
  protected readonly store = new DisposableStore();
  readonly #changes = this.store.add(new Emitter<TreeRowsChange>());

  /** Fires after a change to the rows was applied, with the rows to repaint. */
  readonly onDidChange: Event<TreeRowsChange> = this.#changes.event;

  /** The first level, in order. */
  abstract get roots(): readonly TreeNode[];

  /** Number of containers or images, not rows. */
  abstract get size(): number;

  /**
   * Returns the row of a container or image by its ID. If an image has several rows, returns the one for `reference`.
   */
  abstract find(id: string, reference?: string): TreeNode | undefined;

  /** Compares two rows of the first level. */
  compare?(a: TreeNode, b: TreeNode): number;

  dispose(): void {
    this.store.dispose();
  }

  /** Applies an edit and fires the resulting change, if any. */
  protected change(edit: (change: TreeRowsChange) => void, canWait = false): void {
    const change = new TreeRowsChange(canWait);
    edit(change);
    if (!change.isEmpty) this.#changes.fire(change);
  }

  /** Fires the changes of `part`, whose rows are a part of these. */
  protected forward(part: Rows): Disposable {
    return part.onDidChange(this.#changes.fire.bind(this.#changes));
  }
}

/** A change to the rows of one view. */
export class TreeRowsChange {
  /** Whether a row of the first level was added, removed, or moved. */
  isRootStale = false;
  /** Rows whose appearance has changed. The rows below them may have moved. */
  readonly stale = new Set<TreeNode>();
  /** Rows that no longer exist. */
  readonly gone = new Set<TreeNode>();
  /** Whether the refresh can be delayed, because the important part of the change is yet to come. */
  readonly canWait: boolean;

  constructor(canWait = false) {
    this.canWait = canWait;
  }

  get isEmpty(): boolean {
    return !this.isRootStale && this.stale.size + this.gone.size === 0;
  }

  /** The row has changed its appearance, but not its position. */
  repaint(node: TreeNode): void {
    this.stale.add(node);
  }

  /** The row was added or moved: its parent is refreshed. */
  move(node: TreeNode): void {
    if (node.parent) this.stale.add(node.parent);
    else this.isRootStale = true;
  }

  /** All rows of the first level are replaced. */
  resetRoots(): void {
    this.isRootStale = true;
    this.stale.clear();
  }

  remove(node: TreeNode): void {
    this.gone.add(node);
    this.stale.delete(node);
    this.move(node);
  }
}

/**
 * Minimum interval between refreshes in milliseconds. VS Code debounces refreshes until there were none for 200
 * ms; at this interval, each is painted immediately.
 */
const SPACING = 250;

/**
 * Merges changes into a few refreshes: the first immediately, later ones {@link SPACING} apart. A change that
 * can wait is delayed by one interval.
 */
export class RefreshQueue implements Disposable {
  readonly #throttle: Throttle;
  #waiting = new TreeRowsChange();
  /** Whether VS Code was asked to refresh the whole view, and has not read the rows since. */
  #isAllDue = false;

  constructor(clock: Clock, fire: (refresh: TreeRefresh) => void) {
    this.#throttle = new Throttle(clock, SPACING, () => {
      const { isRootStale, stale, isEmpty } = this.#waiting;
      if (isEmpty) return;
      this.#waiting = new TreeRowsChange();
      this.#isAllDue ||= isRootStale;
      fire(isRootStale ? 'all' : topmost(stale));
    });
  }

  add({ isRootStale, stale, canWait }: TreeRowsChange): void {
    this.#waiting.isRootStale ||= isRootStale;
    this.repaint(stale, canWait);
  }

  /** Adds rows whose appearance has changed. */
  repaint(nodes: Iterable<TreeNode>, canWait = false): void {
    for (const node of nodes) this.#waiting.repaint(node);
    if (!this.#waiting.isEmpty) this.#throttle.request(canWait);
  }

  /**
   * VS Code reads the whole view. If it was asked to, it reads pending changes too, so they are not sent: until it has
   * read refreshed rows again, it passes no row to a command.
   */
  rowsRead(): void {
    if (this.#isAllDue) this.#waiting = new TreeRowsChange();
    this.#isAllDue = false;
  }

  /** Sends pending changes now, because a caller needs the view to be up to date. */
  flush(): void {
    if (!this.#waiting.isEmpty) this.#throttle.flush();
  }

  dispose(): void {
    this.#throttle.dispose();
  }
}

/** The rows to refresh, including all rows below them, or the whole view. */
export type TreeRefresh = readonly TreeNode[] | 'all';

/** A row is refreshed together with its parent, so rows whose parent is also refreshed are left out. */
function topmost(nodes: ReadonlySet<TreeNode>): readonly TreeNode[] {
  return [...nodes].filter((node) => !node.parent || !nodes.has(node.parent));
}
