import type { Image } from '../engine/model.ts';
import { DisposableStore, Emitter, type Disposable } from '../lifetime.ts';
import type { Scene } from './look.ts';
import { byReference, ImageNode, type TreeNode } from './nodes.ts';
import { ChangeBuilder, type Rows, type RowsChange } from './rows.ts';
import { naturalOrder, Siblings } from './siblings.ts';

/** The rows of the images view: one for each tag, one for an image without. */
export class ImageRows implements Rows, Disposable {
  readonly #engine: string;
  readonly #top: TreeNode | undefined;
  readonly #scene: Scene;
  readonly #natural = naturalOrder();
  /** By image id. */
  readonly #nodes = new Map<string, readonly ImageNode[]>();
  readonly #roots = new Siblings<ImageNode>((a, b) => byReference(a, b, this.#natural));
  readonly #store = new DisposableStore();
  readonly #changes = this.#store.add(new Emitter<RowsChange>());

  readonly onDidChange = this.#changes.event;

  /** @param top the row that all of them stand below, where there is one. */
  constructor(engine: string, scene: Scene, top?: TreeNode) {
    this.#engine = engine;
    this.#top = top;
    this.#scene = scene;
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

  get roots(): readonly ImageNode[] {
    return this.#roots.ordered;
  }

  /** Images, not rows. */
  get size(): number {
    return this.#nodes.size;
  }

  find(id: string, reference?: string): ImageNode | undefined {
    const nodes = this.#nodes.get(id);
    if (reference === undefined) return nodes?.[0];
    return nodes?.find((node) => isNamed(node.reference, reference));
  }

  dispose(): void {
    this.#store.dispose();
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
    const image = this.#scene.inventory.images.get(id);
    const before = this.#nodes.get(id) ?? [];
    const after = image ? this.#nodesOf(image, before) : [];
    if (image) this.#nodes.set(id, after);
    else this.#nodes.delete(id);
    for (const node of before) if (!after.includes(node)) this.#drop(node, change);
    for (const node of after) {
      if (before.includes(node)) change.repaint(node);
      else this.#add(node, change);
    }
  }

  /** A name that was there before keeps its row. */
  #nodesOf(image: Image, before: readonly ImageNode[]): readonly ImageNode[] {
    return referencesOf(image).map((reference) => {
      const known = before.find((node) => node.reference === reference);
      known?.update(image);
      return known ?? new ImageNode(this.#engine, image, reference, this.#top);
    });
  }

  #add(node: ImageNode, change: ChangeBuilder): void {
    this.#roots.add(node);
    change.move(node);
  }

  #drop(node: ImageNode, change: ChangeBuilder): void {
    this.#roots.delete(node);
    change.remove(node);
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
