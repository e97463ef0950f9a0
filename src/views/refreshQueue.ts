import type { Clock } from '../time.ts';
import type { Disposable } from '../lifetime.ts';
import type { TreeNode } from './treeNode.ts';
import type { TreeRowsChange } from './rows.ts';
import { Timer } from './timer.ts';

/**
 * The editor holds refreshes back until there were none for 200 ms. Sent at least so many milliseconds
 * apart, each is painted at once.
 */
const SPACING = 250;

/** Merges changes into few refreshes: the first at once, the next ones a beat apart; what can wait, waits one. */
export class RefreshQueue implements Disposable {
  readonly #clock: Clock;
  readonly #timer: Timer;
  readonly #fire: (refresh: TreeRefresh) => void;
  readonly #stale = new Set<TreeNode>();
  #isRootStale = false;
  #firedAt = -Infinity;
  #dueAt = Infinity;

  constructor(clock: Clock, fire: (refresh: TreeRefresh) => void) {
    this.#clock = clock;
    this.#timer = new Timer(clock);
    this.#fire = fire;
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
    this.#timer.clear();
    if (this.#isEmpty) return;
    const refresh = this.#isRootStale ? 'all' : topmost(this.#stale);
    this.#stale.clear();
    this.#isRootStale = false;
    this.#firedAt = this.#clock.now();
    this.#fire(refresh);
  }

  dispose(): void {
    this.#timer.dispose();
  }

  #take(nodes: Iterable<TreeNode>, canWait: boolean): void {
    for (const node of nodes) this.#stale.add(node);
    if (this.#isEmpty) return;
    const now = this.#clock.now();
    // Not more than the spacing, should somebody have set the clock back.
    const wait = canWait ? SPACING : Math.min(SPACING, this.#firedAt + SPACING - now);
    if (this.#timer.isSet && this.#dueAt <= now + wait) return;
    if (wait <= 0) this.flush();
    else {
      this.#dueAt = now + wait;
      this.#timer.set(wait, () => {
        this.flush();
      });
    }
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
