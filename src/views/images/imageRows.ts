import * as l10n from '@vscode/l10n';
import type { Image } from '../../engine/model.ts';
import {
  comparatorFor,
  imageGroupOf,
  imageFacts,
  DEFAULT_ARRANGEMENT,
  type ImageArrangement,
} from './imageArrangement.ts';
import { CHOICES } from '../arrangement/arrangements.ts';
import { isMatch, parseFilter, type Filter } from '../arrangement/parseFilter.ts';
import { GroupedRows } from '../groupedRows.ts';
import {
  type RenderContext,
  tooltipRows,
  type RowPresentation,
  type TooltipRow,
} from '../rowPresentation.ts';
import type { TreeRowsChange } from '../rows.ts';
import { ImageNode } from './imageNode.ts';
import { type TreeNode, GroupNode } from '../treeNode.ts';
import { naturalOrder } from '../sortedSet.ts';
import { familiarName } from '../format.ts';

type Root = ImageNode | ImageGroupNode;

/** The rows of the Images view: one for each tag, and one for each dangling image. They may be grouped. */
export class ImageRows extends GroupedRows<ImageNode, ImageGroupNode> {
  /** By image ID. */
  readonly #nodes = new Map<string, readonly ImageNode[]>();
  /** Number of rows of each image without a filter, by image ID. */
  readonly #counts = new Map<string, number>();
  #shown = 0;
  #total = 0;
  #arrangement: ImageArrangement;
  #filter: Filter;
  #inOrder: (a: ImageNode, b: ImageNode) => number;

  constructor(
    engine: string,
    context: RenderContext,
    top?: TreeNode,
    arrangement = DEFAULT_ARRANGEMENT,
  ) {
    super(engine, context, top);
    this.#arrangement = arrangement;
    this.#filter = parseFilter(arrangement.filter, CHOICES.images.keys);
    this.#inOrder = comparatorFor(arrangement);
    this.updateAll(context.inventory.images.keys());
    this.follow(
      ({ images, usedImages }) => new Set([...images, ...usedImages]),
      (target) => this.#imageIdOf(target),
    );
  }

  /** Number of visible rows, without groups. */
  get size(): number {
    return this.#shown;
  }

  /** Number of rows if no filter hides one. */
  get total(): number {
    return this.#total;
  }

  find(id: string, reference?: string): ImageNode | undefined {
    const nodes = this.#nodes.get(id);
    if (reference === undefined) return nodes?.[0];
    return nodes?.find((node) => isNamed(node.reference, reference));
  }

  arrange(arrangement: ImageArrangement): void {
    this.change((change) => {
      this.clear([...this.#nodes.values()].flat(), change);
      this.#nodes.clear();
      this.#shown = 0;
      this.#arrangement = arrangement;
      this.#filter = parseFilter(arrangement.filter, CHOICES.images.keys);
      this.#inOrder = comparatorFor(arrangement);
      for (const id of this.context.inventory.images.keys()) this.updateOne(id, change);
      // All rows are new, so changes reported before this are obsolete.
      change.stale.clear();
      if (this.top) change.repaint(this.top);
      else change.resetRoots();
    });
  }

  compare(a: Root, b: Root): number {
    if (a instanceof ImageGroupNode) return b instanceof ImageGroupNode ? byKey(a, b) : -1;
    return b instanceof ImageGroupNode ? 1 : this.#inOrder(a, b);
  }

  protected makeGroup(key: string): ImageGroupNode {
    return new ImageGroupNode(this.engine, key, this.#arrangement, this.top);
  }

  /** Returns the ID of the image with this name. An argument that is not a name is already an ID. */
  #imageIdOf(idOrName: string): string {
    if (this.#nodes.has(idOrName)) return idOrName;
    const named = [...this.#nodes].find(([, nodes]) =>
      nodes.some((node) => node.reference === idOrName),
    );
    return named?.[0] ?? idOrName;
  }

  protected updateOne(id: string, change: TreeRowsChange): void {
    const image = this.context.inventory.images.get(id);
    const before = this.#nodes.get(id) ?? [];
    const sizes = new Map(before.map((node) => [node, node.image.size]));
    const after = image ? this.#nodesOf(image, before, change) : [];
    if (after.length > 0) this.#nodes.set(id, after);
    else this.#nodes.delete(id);
    this.#shown += after.length - before.length;
    this.#count(id, image ? referencesOf(image).length : 0);
    for (const node of after) {
      if (!before.includes(node)) this.add(node, change);
      else if (this.#arrangement.sortBy !== 'size' || sizes.get(node) === node.image.size) {
        change.repaint(node);
      } else this.move(node, change);
    }
    // Removed after the additions, so that a group is kept if its last row is replaced by another.
    for (const node of before) if (!after.includes(node)) this.drop(node, change);
  }

  #count(id: string, count: number): void {
    this.#total += count - (this.#counts.get(id) ?? 0);
    if (count > 0) this.#counts.set(id, count);
    else this.#counts.delete(id);
  }

  /** An existing name keeps its row. */
  #nodesOf(
    image: Image,
    before: readonly ImageNode[],
    change: TreeRowsChange,
  ): readonly ImageNode[] {
    const { showDangling } = this.#arrangement;
    const shown = referencesOf(image).filter(
      (reference) =>
        (showDangling || reference !== undefined) &&
        isMatch(this.#filter, () => imageFacts({ reference, image }, this.context)),
    );
    return shown.map((reference) => {
      const known = before.find((node) => node.reference === reference);
      known?.update(image);
      return known ?? this.#make(image, reference, change);
    });
  }

  #make(image: Image, reference: string | undefined, change: TreeRowsChange): ImageNode {
    const group = imageGroupOf({ reference, image }, this.#arrangement);
    const parent = group ? this.groupOf(group.key, change) : this.top;
    return new ImageNode(this.engine, image, reference, parent, group?.title);
  }
}

/** Returns the distinct tags of an image, or one undefined entry for a dangling image. */
export function referencesOf(image: Image): readonly (string | undefined)[] {
  return image.tags.length === 0 ? [undefined] : [...new Set(image.tags)];
}

/** Returns whether an engine's full image name matches a name that may omit the registry and `latest`. */
function isNamed(full: string | undefined, written: string): boolean {
  return [written, `${written}:latest`].some(
    (name) => full === name || full?.endsWith(`/${name}`) === true,
  );
}

/** The row of a repository or registry, with its images below. */
class ImageGroupNode extends GroupNode<ImageNode> {
  readonly #kind: ImageArrangement['groupBy'];

  /** @param key repository or registry; empty for images without one. */
  constructor(engine: string, key: string, arrangement: ImageArrangement, parent?: TreeNode) {
    const { groupBy } = arrangement;
    super(engine, `images/${groupBy}/${key}`, key, comparatorFor(arrangement), parent);
    this.#kind = groupBy;
  }

  present(): RowPresentation {
    const title = this.#title();
    const count = formatTagCount(this.size);
    return {
      label: title,
      description: count,
      icon: { id: this.#kind === 'registry' ? 'server' : 'repo' },
      contextValue: 'images',
      accessibilityLabel: `${title}, ${count}`,
    };
  }

  tooltip(): readonly TooltipRow[] {
    const name = this.#kind === 'registry' ? l10n.t('Registry') : l10n.t('Repository');
    return tooltipRows([name, this.#title()], [l10n.t('Images'), String(this.size)]);
  }

  #title(): string {
    return this.key === '' ? l10n.t('untagged') : familiarName(this.key);
  }
}

function formatTagCount(count: number): string {
  return count === 1 ? l10n.t('1 tag') : l10n.t('{0} tags', count);
}

/** Compares groups by name. The group of images without a name comes last. */
function byKey(a: ImageGroupNode, b: ImageGroupNode): number {
  return Number(a.key === '') - Number(b.key === '') || naturalOrder(a.key, b.key);
}
