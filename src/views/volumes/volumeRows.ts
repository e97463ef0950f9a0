import { isAnonymousVolume, type Volume } from '../../engine/model.ts';
import { FlatRows } from '../flatRows.ts';
import type { RenderContext } from '../rowPresentation.ts';
import type { TreeRowsChange } from '../rows.ts';
import { CHOICES, PLAIN, type Arrangement } from '../arrangement/arrangements.ts';
import { isMatch, parseFilter, type Filter } from '../arrangement/parseFilter.ts';
import { byId, naturalOrder, newestFirst } from '../sortedSet.ts';
import type { TreeNode } from '../treeNode.ts';
import { volumeFacts, volumeTitle } from './presentVolume.ts';
import { VolumeNode } from './volumeNode.ts';

/** The rows of the Volumes view, those of a project next to one another. */
export class VolumeRows extends FlatRows<VolumeNode> {
  readonly #nodes = new Map<string, VolumeNode>();
  #arrangement: Arrangement;
  #filter: Filter;

  constructor(engine: string, context: RenderContext, top?: TreeNode, arrangement = PLAIN) {
    super(engine, context, top);
    this.#arrangement = arrangement;
    this.#filter = parseFilter(arrangement.filter, CHOICES.volumes.keys);
    this.updateAll(context.inventory.volumes.entries.keys());
    this.follow(({ volumes }) => volumes);
    this.store.listen(context.inventory.volumeSizes.onDidChange, this.updateAll.bind(this));
  }

  get size(): number {
    return this.#nodes.size;
  }

  find(name: string): VolumeNode | undefined {
    return this.#nodes.get(name);
  }

  arrange(arrangement: Arrangement): void {
    this.#arrangement = arrangement;
    this.#filter = parseFilter(arrangement.filter, CHOICES.volumes.keys);
    this.sorted.touch();
    this.replaceAll(this.context.inventory.volumes.entries.keys());
  }

  /** Named volumes first; a project's volumes by their names in the compose file. */
  compare(a: VolumeNode, b: VolumeNode): number {
    const isByAge = this.#arrangement.sortBy === 'created';
    return (
      (isByAge ? newestFirst(a.volume, b.volume) : 0) ||
      compareVolumes(a.volume, b.volume) ||
      byId(a, b)
    );
  }

  protected updateOne(name: string, change: TreeRowsChange): void {
    const found = this.context.inventory.volumes.entries.get(name);
    const isShown = found && isMatch(this.#filter, () => volumeFacts(found, this.context));
    const volume = isShown ? found : undefined;
    const node = this.#nodes.get(name);
    if (node && volume) {
      // Engines do not change the labels of a volume, but it may be another one of the same name.
      const isMoved = compareVolumes(node.volume, volume) !== 0;
      node.update(volume);
      if (isMoved) this.move(node, change);
      else change.repaint(node);
    } else if (node) {
      this.#nodes.delete(name);
      this.drop(node, change);
    } else if (volume) {
      const added = new VolumeNode(this.engine, volume, this.top);
      this.#nodes.set(name, added);
      this.add(added, change);
    }
  }
}

function compareVolumes(a: Volume, b: Volume): number {
  const one = orderOf(a);
  const other = orderOf(b);
  return (
    one.rank - other.rank ||
    naturalOrder(one.project, other.project) ||
    naturalOrder(one.title, other.title)
  );
}

function orderOf(volume: Volume) {
  const { title, project } = volumeTitle(volume);
  return { rank: isAnonymousVolume(volume) ? 1 : 0, project: project || title, title };
}
