import type { L10n } from '../../l10n.ts';
import { comparatorFor, type Arrangement } from '../arrangement.ts';
import {
  tooltipRows,
  type RowPresentation,
  type RenderContext,
  type TooltipRow,
} from '../rowPresentation.ts';
import { TreeNode, type ImageNode } from '../treeNode.ts';
import { SortedSet, type NaturalOrder } from '../sortedSet.ts';
import { familiarName } from '../format.ts';

/** The row of a repository or a registry, with the rows of its images. */
export class ImageGroupNode extends TreeNode {
  /** The repository, or the registry; empty for images that have none. */
  readonly key: string;
  readonly #kind: Arrangement['groupBy'];
  readonly #members: SortedSet<ImageNode>;

  constructor(
    engine: string,
    key: string,
    arrangement: Arrangement,
    natural: NaturalOrder,
    parent?: TreeNode,
  ) {
    super(engine, `images/${arrangement.groupBy}/${key}`, parent);
    this.key = key;
    this.#kind = arrangement.groupBy;
    this.#members = new SortedSet<ImageNode>(comparatorFor(arrangement, natural));
  }

  override get children(): readonly ImageNode[] {
    return this.#members.ordered;
  }

  get size(): number {
    return this.#members.size;
  }

  add(node: ImageNode): void {
    this.#members.add(node);
  }

  delete(node: ImageNode): void {
    this.#members.delete(node);
  }

  /** Says that a member may have to change place. */
  touch(): void {
    this.#members.touch();
  }

  present({ l10n }: RenderContext): RowPresentation {
    const title = this.#title(l10n);
    const count = formatTagCount(this.size, l10n);
    return {
      label: title,
      description: count,
      icon: { id: this.#kind === 'registry' ? 'server' : 'repo' },
      contextValue: 'images',
      accessibilityLabel: `${title}, ${count}`,
    };
  }

  tooltip({ l10n }: RenderContext): readonly TooltipRow[] {
    const name = this.#kind === 'registry' ? l10n.t('Registry') : l10n.t('Repository');
    return tooltipRows([name, this.#title(l10n)], [l10n.t('Images'), String(this.size)]);
  }

  #title(l10n: L10n): string {
    return this.key === '' ? l10n.t('untagged') : familiarName(this.key);
  }
}

function formatTagCount(count: number, l10n: L10n): string {
  return count === 1 ? l10n.t('1 name') : l10n.t('{0} names', count);
}

/** Groups by name, the one of images that have none last. */
export function byKey(a: ImageGroupNode, b: ImageGroupNode, natural: NaturalOrder): number {
  return Number(a.key === '') - Number(b.key === '') || natural(a.key, b.key);
}
