import { FlatRows, type Siblings } from './flatRows.ts';
import { GroupNode, type TreeNode } from './treeNode.ts';
import type { TreeRowsChange } from './rows.ts';

/** The rows of an engine's containers or images, some of them below group rows. */
export abstract class GroupedRows<
  Node extends TreeNode,
  Group extends GroupNode<Node>,
> extends FlatRows<Node, Group> {
  readonly #groups = new Map<string, Group>();

  /** Creates a group row below {@link top}, or at the first level. */
  protected abstract makeGroup(key: string): Group;

  /** Returns the group for a key if it has a row. */
  protected knownGroup(key: string): Group | undefined {
    return this.#groups.get(key);
  }

  /** Returns the group for a key, creating it for its first row. */
  protected groupOf(key: string, change: TreeRowsChange): Group {
    const known = this.#groups.get(key);
    if (known) return known;
    const group = this.makeGroup(key);
    this.#groups.set(key, group);
    this.sorted.add(group);
    change.move(group);
    return group;
  }

  /** Removes a row, and its group if it was the last row. */
  protected override drop(node: Node, change: TreeRowsChange): void {
    super.drop(node, change);
    const group = this.#parentOf(node);
    if (!group || group.size > 0) return;
    this.#groups.delete(group.key);
    this.sorted.delete(group);
    change.remove(group);
  }

  /** Removes all rows. */
  protected clear(nodes: Iterable<Node>, change: TreeRowsChange): void {
    for (const node of [...this.#groups.values(), ...nodes]) change.gone.add(node);
    this.#groups.clear();
    this.sorted.clear();
  }

  protected override siblingsOf(node: Node): Siblings<Node> {
    return this.#parentOf(node) ?? this.sorted;
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
