import type { Image } from '../../engine/model.ts';
import { DisposableStore, Emitter, type Disposable } from '../../lifetime.ts';
import {
  comparatorFor,
  imageGroupOf,
  isIncluded,
  DEFAULT_ARRANGEMENT,
  type Arrangement,
} from '../arrangement.ts';
import { byKey, ImageGroupNode } from './imageGroupNode.ts';
import type { RenderContext } from '../rowPresentation.ts';
import { ImageNode, type TreeNode } from '../treeNode.ts';
import { ChangeBuilder, type Rows, type TreeRowsChange } from '../rows.ts';
import { naturalOrder, SortedSet } from '../sortedSet.ts';

type Root = ImageNode | ImageGroupNode;

/** The rows of the images view: one for each tag, one for an image without; as a person wants them, in groups. */
export class ImageRows implements Rows, Disposable {
  readonly #engine: string;
  readonly #top: TreeNode | undefined;
  readonly #context: RenderContext;
  readonly #natural = naturalOrder();
  /** By image id. */
  readonly #nodes = new Map<string, readonly ImageNode[]>();
  /** By key. */
  readonly #groups = new Map<string, ImageGroupNode>();
  #arrangement: Arrangement;
  #roots: SortedSet<Root>;
  readonly #store = new DisposableStore();
  readonly #changes = this.#store.add(new Emitter<TreeRowsChange>());

  readonly onDidChange = this.#changes.event;

  /** @param top the row that all of them stand below, where there is one. */
  constructor(
    engine: string,
    scene: RenderContext,
    top?: TreeNode,
    arrangement = DEFAULT_ARRANGEMENT,
  ) {
    this.#engine = engine;
    this.#top = top;
    this.#context = scene;
    this.#arrangement = arrangement;
    this.#roots = this.#emptyRoots();
    this.#take(scene.inventory.images.keys());
    this.#store.add(
      scene.inventory.onDidChange(({ images, usedImages }) => {
        this.#take(new Set([...images, ...usedImages]));
      }),
    );
    this.#store.add(
      scene.activity.onDidChange((ids) => {
        // A verb mostly ends a moment before the list tells what it did.
        this.#take(
          [...ids].map((id) => this.#imageIdOf(id)),
          [...ids].every((id) => scene.activity.verbOf(id) === undefined),
        );
      }),
    );
  }

  get roots(): readonly Root[] {
    return this.#roots.ordered;
  }

  /** Images that are shown, not rows. */
  get size(): number {
    return this.#nodes.size;
  }

  find(id: string, reference?: string): ImageNode | undefined {
    const nodes = this.#nodes.get(id);
    if (reference === undefined) return nodes?.[0];
    return nodes?.find((node) => isNamed(node.reference, reference));
  }

  /** Shows the images in another way. */
  arrange(arrangement: Arrangement): void {
    const change = new ChangeBuilder();
    for (const group of this.#groups.values()) change.gone.add(group);
    for (const node of [...this.#nodes.values()].flat()) change.gone.add(node);
    this.#arrangement = arrangement;
    this.#nodes.clear();
    this.#groups.clear();
    this.#roots = this.#emptyRoots();
    for (const id of this.#context.inventory.images.keys()) this.#takeOne(id, change);
    // All of them are others, whoever was told of them meanwhile.
    change.stale.clear();
    if (this.#top) change.repaint(this.#top);
    else change.resetRoots();
    this.#changes.fire(change);
  }

  dispose(): void {
    this.#store.dispose();
  }

  #emptyRoots(): SortedSet<Root> {
    const inOrder = comparatorFor(this.#arrangement, this.#natural);
    return new SortedSet<Root>((a, b) => {
      if (a instanceof ImageNode && b instanceof ImageNode) return inOrder(a, b);
      if (a instanceof ImageGroupNode && b instanceof ImageGroupNode) {
        return byKey(a, b, this.#natural);
      }
      return a instanceof ImageGroupNode ? -1 : 1;
    });
  }

  /** The id of the image that has this name; what is no name is an id already. */
  #imageIdOf(idOrName: string): string {
    if (this.#nodes.has(idOrName)) return idOrName;
    const named = [...this.#nodes].find(([, nodes]) =>
      nodes.some((node) => node.reference === idOrName),
    );
    return named?.[0] ?? idOrName;
  }

  #take(ids: Iterable<string>, canWait = false): void {
    const change = new ChangeBuilder(canWait);
    for (const id of ids) this.#takeOne(id, change);
    if (!change.isEmpty) this.#changes.fire(change);
  }

  #takeOne(id: string, change: ChangeBuilder): void {
    const image = this.#context.inventory.images.get(id);
    const before = this.#nodes.get(id) ?? [];
    const sizes = new Map(before.map((node) => [node, node.image.size]));
    const after = image ? this.#nodesOf(image, before, change) : [];
    if (after.length > 0) this.#nodes.set(id, after);
    else this.#nodes.delete(id);
    for (const node of after) {
      if (!before.includes(node)) this.#add(node, change);
      else if (this.#arrangement.sortBy !== 'size' || sizes.get(node) === node.image.size) {
        change.repaint(node);
      } else this.#move(node, change);
    }
    // Afterwards, so that a group whose last row goes as another comes is still the same.
    for (const node of before) if (!after.includes(node)) this.#drop(node, change);
  }

  /** A name that was there before keeps its row. */
  #nodesOf(
    image: Image,
    before: readonly ImageNode[],
    change: ChangeBuilder,
  ): readonly ImageNode[] {
    const shown = referencesOf(image).filter((reference) =>
      isIncluded({ reference, image }, this.#arrangement),
    );
    return shown.map((reference) => {
      const known = before.find((node) => node.reference === reference);
      known?.update(image);
      return known ?? this.#make(image, reference, change);
    });
  }

  #make(image: Image, reference: string | undefined, change: ChangeBuilder): ImageNode {
    const place = imageGroupOf({ reference, image }, this.#arrangement);
    const parent = place ? this.#groupOf(place.key, change) : this.#top;
    return new ImageNode(this.#engine, image, reference, parent, place?.title);
  }

  #add(node: ImageNode, change: ChangeBuilder): void {
    if (node.parent instanceof ImageGroupNode) node.parent.add(node);
    else this.#roots.add(node);
    change.move(node);
  }

  #move(node: ImageNode, change: ChangeBuilder): void {
    if (node.parent instanceof ImageGroupNode) node.parent.touch();
    else this.#roots.touch();
    change.move(node);
  }

  #drop(node: ImageNode, change: ChangeBuilder): void {
    change.remove(node);
    const group = node.parent;
    if (!(group instanceof ImageGroupNode)) {
      this.#roots.delete(node);
      return;
    }
    group.delete(node);
    if (group.size > 0) return;
    this.#groups.delete(group.key);
    this.#roots.delete(group);
    change.remove(group);
  }

  #groupOf(key: string, change: ChangeBuilder): ImageGroupNode {
    const known = this.#groups.get(key);
    if (known) return known;
    const group = new ImageGroupNode(
      this.#engine,
      key,
      this.#arrangement,
      this.#natural,
      this.#top,
    );
    this.#groups.set(key, group);
    this.#roots.add(group);
    change.move(group);
    return group;
  }
}

/** Each once, and one that is none for an image without a name. */
function referencesOf(image: Image): readonly (string | undefined)[] {
  return image.tags.length === 0 ? [undefined] : [...new Set(image.tags)];
}

/** Whether an engine's full name is the one a person wrote, who may leave out the registry and `latest`. */
function isNamed(full: string | undefined, written: string): boolean {
  return [written, `${written}:latest`].some(
    (name) => full === name || full?.endsWith(`/${name}`) === true,
  );
}
