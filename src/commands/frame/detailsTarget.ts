import type { TargetKind } from '../../views/treeNode.ts';

/** What a details page is about. */
export interface DetailsTarget {
  readonly kind: TargetKind;
  /** The full ID, and for a volume its name. */
  readonly id: string;
  readonly name: string;
}

/** Options for opening details. */
export interface DetailsOptions {
  /** Whether the focus stays where it is. */
  readonly preserveFocus?: boolean;
}
