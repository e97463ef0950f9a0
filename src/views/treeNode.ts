import type { RowPresentation, RenderContext, TooltipRow } from './rowPresentation.ts';
import { SortedSet } from './sortedSet.ts';

/**
 * A row of a view. The same object represents the row for its lifetime, so that selection and expansion are
 * kept. Commands distinguish rows from plain arguments by this class.
 */
export abstract class TreeNode {
  /** Consists of the engine, the kind, and the engine's own ID, never of state. */
  readonly id: string;
  /** ID of the row's engine. */
  readonly engine: string;
  readonly #parent: TreeNode | undefined;

  protected constructor(engine: string, id: string, parent?: TreeNode) {
    this.id = `${engine}/${id}`;
    this.engine = engine;
    this.#parent = parent;
  }

  /** Undefined for a row of the first level. */
  get parent(): TreeNode | undefined {
    return this.#parent;
  }

  /** The rows below, in order; undefined if the row cannot have any. */
  get children(): readonly TreeNode[] | undefined {
    return undefined;
  }

  /** Returns the current presentation. Has no side effects. */
  abstract present(context: RenderContext): RowPresentation;

  /** Returns the tooltip. Called only when it is shown. */
  abstract tooltip(context: RenderContext): readonly TooltipRow[];
}

/** A row that groups others. It exists as long as it has members. */
export abstract class GroupNode<Member extends TreeNode> extends TreeNode {
  /** Identifies the group among the groups of its engine. */
  readonly key: string;
  protected readonly members: SortedSet<Member>;

  protected constructor(
    engine: string,
    id: string,
    key: string,
    compare: (a: Member, b: Member) => number,
    parent?: TreeNode,
  ) {
    super(engine, id, parent);
    this.key = key;
    this.members = new SortedSet(compare);
  }

  override get children(): readonly TreeNode[] {
    return this.members.ordered;
  }

  get size(): number {
    return this.members.size;
  }

  add(node: Member): void {
    this.members.add(node);
  }

  delete(node: Member): void {
    this.members.delete(node);
  }

  /** Marks that a member may have changed its position. */
  touch(): void {
    this.members.touch();
  }
}

/** Kind of the object of a row, if commands work on it. */
export type TargetKind = 'container' | 'image' | 'volume' | 'network';

/** Kind of the rows of a view that has keys. */
export type RowKind = TargetKind | 'build' | 'file';
