import { Throttle, type Clock } from '../time.ts';
import type { Disposable } from '../lifetime.ts';
import type { TreeNode } from './treeNode.ts';
import type { TreeRowsChange } from './rows.ts';

/**
 * The editor holds refreshes back until there were none for 200 ms. Sent at least so many milliseconds
 * apart, each is painted at once.
 */
const SPACING = 250;

/** Merges changes into few refreshes: the first at once, the next ones a beat apart; what can wait, waits one. */
export class RefreshQueue implements Disposable {
  readonly #throttle: Throttle;
  readonly #stale = new Set<TreeNode>();
  #isRootStale = false;

  constructor(clock: Clock, fire: (refresh: TreeRefresh) => void) {
    this.#throttle = new Throttle(clock, SPACING, () => {
      const refresh = this.#isRootStale ? 'all' : topmost(this.#stale);
      this.#stale.clear();
      this.#isRootStale = false;
      fire(refresh);
    });
  }

  /** Takes a change of the rows. */
  add({ isRootStale, stale, canWait }: TreeRowsChange): void {
    this.#isRootStale ||= isRootStale;
    this.#take(stale, canWait);
  }

  /** Takes rows whose looks changed. */
  repaint(nodes: Iterable<TreeNode>): void {
    this.#take(nodes, false);
  }

  /** Sends what is waiting now: somebody needs the view to be true. */
  flush(): void {
    if (!this.#isEmpty) this.#throttle.flush();
  }

  dispose(): void {
    this.#throttle.dispose();
  }

  #take(nodes: Iterable<TreeNode>, canWait: boolean): void {
    for (const node of nodes) this.#stale.add(node);
    if (!this.#isEmpty) this.#throttle.request(canWait);
  }

  get #isEmpty(): boolean {
    return !this.#isRootStale && this.#stale.size === 0;
  }
}

/** What to paint anew: these rows with all below them, or the whole view. */
export type TreeRefresh = readonly TreeNode[] | 'all';

/** A row is painted with its parent: those whose parent is there, too, need not be told. */
function topmost(nodes: ReadonlySet<TreeNode>): readonly TreeNode[] {
  return [...nodes].filter((node) => !node.parent || !nodes.has(node.parent));
}
