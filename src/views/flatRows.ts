import type { InventoryChange } from '../inventory/inventory.ts';
import type { RenderContext } from './rowPresentation.ts';
import { Rows, type TreeRowsChange } from './rows.ts';
import { SortedSet } from './sortedSet.ts';
import type { TreeNode } from './treeNode.ts';

/** The rows of an engine's objects of one kind, at the first level. */
export abstract class FlatRows<Node extends TreeNode, Root extends TreeNode = Node> extends Rows {
  readonly engine: string;
  readonly context: RenderContext;
  /** Parent of all rows, if any. */
  readonly top: TreeNode | undefined;
  protected readonly sorted = new SortedSet<Node | Root>((a, b) => this.compare(a, b));

  protected constructor(engine: string, context: RenderContext, top: TreeNode | undefined) {
    super();
    this.engine = engine;
    this.context = context;
    this.top = top;
  }

  get roots(): readonly (Node | Root)[] {
    return this.sorted.ordered;
  }

  /** Compares two rows of the first level. */
  abstract override compare(a: Node | Root, b: Node | Root): number;

  /** Updates the rows of one object. */
  protected abstract updateOne(id: string, change: TreeRowsChange): void;

  protected updateAll(ids: Iterable<string>, canWait = false): void {
    this.change((change) => {
      for (const id of ids) this.updateOne(id, change);
      this.finish(change);
    }, canWait);
  }

  /** Updates the rows of all objects. Most change, so all are shown again. */
  protected replaceAll(ids: Iterable<string>): void {
    this.change((change) => {
      for (const id of ids) this.updateOne(id, change);
      this.finish(change);
      change.stale.clear();
      if (this.top) change.repaint(this.top);
      else change.resetRoots();
    });
  }

  /** Called once after the rows of all changed objects were updated. */
  protected finish(_change: TreeRowsChange): void {
    // Nothing by default.
  }

  /**
   * Follows changes from now on.
   *
   * @param idOf returns the ID of the row for the target of an operation.
   */
  protected follow(
    changed: (change: InventoryChange) => Iterable<string>,
    idOf: (target: string) => string = (id) => id,
  ): void {
    const { inventory, activity } = this.context;
    this.store.listen(inventory.onDidChange, (change) => this.updateAll(changed(change)));
    this.store.listen(activity.onDidChange, (targets) => {
      // An operation usually ends shortly before the list with its result arrives.
      const areOver = [...targets].every((one) => activity.verbOf(one) === undefined);
      this.updateAll([...targets].map(idOf), areOver);
    });
  }

  protected add(node: Node, change: TreeRowsChange): void {
    this.siblingsOf(node).add(node);
    change.move(node);
  }

  /** Marks that the row may have changed its position. */
  protected move(node: Node, change: TreeRowsChange): void {
    this.siblingsOf(node).touch();
    change.move(node);
  }

  protected drop(node: Node, change: TreeRowsChange): void {
    change.remove(node);
    this.siblingsOf(node).delete(node);
  }

  /** The rows below the same parent. */
  protected siblingsOf(_node: Node): Siblings<Node> {
    return this.sorted;
  }
}

export interface Siblings<Node> {
  add(node: Node): void;
  touch(): void;
  delete(node: Node): void;
}
