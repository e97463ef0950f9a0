import type { InventoryChange } from '../inventory/inventory.ts';
import { GroupNode, type TreeNode } from './treeNode.ts';
import type { RenderContext } from './rowPresentation.ts';
import { Rows, type TreeRowsChange } from './rows.ts';
import { SortedSet } from './sortedSet.ts';

/** The rows of an engine's containers or images, some of them below group rows. */
export abstract class GroupedRows<
  Node extends TreeNode,
  Group extends GroupNode<Node>,
> extends Rows {
  readonly engine: string;
  readonly context: RenderContext;
  /** Parent of all rows, if any. */
  readonly top: TreeNode | undefined;
  readonly #groups = new Map<string, Group>();
  readonly #roots = new SortedSet<Node | Group>((a, b) => this.compare(a, b));

  protected constructor(engine: string, context: RenderContext, top: TreeNode | undefined) {
    super();
    this.engine = engine;
    this.context = context;
    this.top = top;
  }

  get roots(): readonly (Node | Group)[] {
    return this.#roots.ordered;
  }

  /** Compares two rows of the first level. */
  protected abstract compare(a: Node | Group, b: Node | Group): number;

  /** Creates a group row below {@link top}, or at the first level. */
  protected abstract makeGroup(key: string): Group;

  /** Updates the rows of one container or image. */
  protected abstract takeOne(id: string, change: TreeRowsChange): void;

  protected take(ids: Iterable<string>, canWait = false): void {
    this.change((change) => {
      for (const id of ids) this.takeOne(id, change);
    }, canWait);
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
    this.store.listen(inventory.onDidChange, (change) => {
      this.take(changed(change));
    });
    this.store.listen(activity.onDidChange, (targets) => {
      // An operation usually ends shortly before the list with its result arrives.
      const areOver = [...targets].every((one) => activity.verbOf(one) === undefined);
      this.take([...targets].map(idOf), areOver);
    });
  }

  /** Returns the group for a key, creating it for its first row. */
  protected groupOf(key: string, change: TreeRowsChange): Group {
    const known = this.#groups.get(key);
    if (known) return known;
    const group = this.makeGroup(key);
    this.#groups.set(key, group);
    this.#roots.add(group);
    change.move(group);
    return group;
  }

  protected add(node: Node, change: TreeRowsChange): void {
    (this.#parentOf(node) ?? this.#roots).add(node);
    change.move(node);
  }

  /** Notes that the row may have changed its position. */
  protected move(node: Node, change: TreeRowsChange): void {
    (this.#parentOf(node) ?? this.#roots).touch();
    change.move(node);
  }

  /** Removes a row, and its group if it was the last row. */
  protected drop(node: Node, change: TreeRowsChange): void {
    change.remove(node);
    const group = this.#parentOf(node);
    (group ?? this.#roots).delete(node);
    if (!group || group.size > 0) return;
    this.#groups.delete(group.key);
    this.#roots.delete(group);
    change.remove(group);
  }

  /** Removes all rows. */
  protected clear(nodes: Iterable<Node>, change: TreeRowsChange): void {
    for (const node of [...this.#groups.values(), ...nodes]) change.gone.add(node);
    this.#groups.clear();
    this.#roots.clear();
  }

  /** The group may be further up: a project above the service. */
  #parentOf({ parent }: Node): Group | undefined {
    for (let one = parent; one; one = one.parent) {
      const group = one instanceof GroupNode ? this.#groups.get(one.key) : undefined;
      if (group === one) return group;
    }
    return undefined;
  }
}
