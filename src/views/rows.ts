import type { Event } from '../lifetime.ts';
import type { TreeNode } from './treeNode.ts';

/** The rows of one view, kept in step with the inventory. */
export interface Rows {
  /** The first level, in order. */
  readonly roots: readonly TreeNode[];
  /** Fires what is to be painted anew, after all of it is in place. */
  readonly onDidChange: Event<TreeRowsChange>;
  /** The row of a container or image by its engine's id; of several rows of an image, that of `reference`. */
  find(id: string, reference?: string): TreeNode | undefined;
  /** Containers or images, not rows. */
  readonly size: number;
}

/** What a change does to the rows of one view. */
export interface TreeRowsChange {
  /** A row of the first level came, went or changed place. */
  readonly isRootStale: boolean;
  /** These look different, and the rows below them may have changed place. */
  readonly stale: ReadonlySet<TreeNode>;
  /** These are no longer there. */
  readonly gone: ReadonlySet<TreeNode>;
  /** What matters of it is still to come, and should find the way free. */
  readonly canWait: boolean;
}

/** Gathers what one change of the inventory does to the rows. */
export class ChangeBuilder implements TreeRowsChange {
  readonly stale = new Set<TreeNode>();
  readonly gone = new Set<TreeNode>();
  readonly canWait: boolean;
  #isRootStale = false;

  constructor(canWait = false) {
    this.canWait = canWait;
  }

  get isRootStale(): boolean {
    return this.#isRootStale;
  }

  get isEmpty(): boolean {
    return !this.#isRootStale && this.stale.size + this.gone.size === 0;
  }

  /** The row looks different, in its place. */
  repaint(node: TreeNode): void {
    this.stale.add(node);
  }

  /** The row came or changed place: its nearest parent is to be refreshed. */
  move(node: TreeNode): void {
    if (node.parent) this.stale.add(node.parent);
    else this.#isRootStale = true;
  }

  /** All rows of the first level are others. */
  resetRoots(): void {
    this.#isRootStale = true;
    this.stale.clear();
  }

  /** The row went. */
  remove(node: TreeNode): void {
    this.gone.add(node);
    this.stale.delete(node);
    this.move(node);
  }
}
