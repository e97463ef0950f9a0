import type { DiskUse } from '../../engine/system/diskUse.ts';
import type { Image } from '../../engine/model.ts';

/**
 * The images that can go: no container is made from them, and no image that stays. In an order in which an engine
 * removes them: what was made from another before that.
 *
 * @param usedIds of the images that containers are made from.
 */
export function unusedImages(
  images: readonly Image[],
  usedIds: ReadonlySet<string>,
  { onlyDangling }: { readonly onlyDangling: boolean },
  use?: DiskUse,
): readonly UnusedImage[] {
  const children = childrenOf(images);
  const byId = new Map(images.map((image) => [image.id, image]));
  const verdicts = new Map<string, boolean>();
  const ordered: Image[] = [];
  const goes = (id: string): boolean => {
    const known = verdicts.get(id);
    if (known !== undefined) return known;
    // A circle, which no honest engine tells of, stays.
    verdicts.set(id, false);
    const image = byId.get(id);
    const isFree = image !== undefined && !usedIds.has(id) && !(onlyDangling && isNamed(image));
    const isLast = (children.get(id) ?? []).map((child) => goes(child)).every(Boolean);
    if (isFree && isLast) ordered.push(image);
    verdicts.set(id, isFree && isLast);
    return isFree && isLast;
  };
  for (const { id } of images) goes(id);
  return ordered.map((image) => withUse(image, use));
}

/** An image that nothing needs. */
export interface UnusedImage {
  readonly image: Image;
  /** Bytes, with those it shares with others. */
  readonly size: number;
  /** Bytes that are freed whatever else stays; undefined where the engine does not tell. */
  readonly own: number | undefined;
}

/** Whether somebody gave it a name; one that came by its digest has that. */
function isNamed({ tags, digests }: Image): boolean {
  return tags.length > 0 || digests.length > 0;
}

function childrenOf(images: readonly Image[]): ReadonlyMap<string, readonly string[]> {
  const children = new Map<string, string[]>();
  for (const { id, parentId } of images) {
    if (parentId !== undefined) children.set(parentId, [...(children.get(parentId) ?? []), id]);
  }
  return children;
}

function withUse(image: Image, use: DiskUse | undefined): UnusedImage {
  const found = use?.images.get(image.id);
  const size = found?.size ?? image.size;
  const shared = found?.shared;
  return { image, size, own: shared === undefined ? undefined : Math.max(0, size - shared) };
}

/** What a removal frees. What several of them share is freed, too, so that nobody knows it before. */
export interface ReclaimableSpace {
  /** Bytes; undefined where the engine does not tell what is shared. */
  readonly atLeast: number | undefined;
  readonly atMost: number;
}

/** What goes with all of these. */
export function reclaimableSpace(images: readonly UnusedImage[]): ReclaimableSpace {
  const own = images.map((one) => one.own);
  return {
    atLeast: own.reduce<number | undefined>(
      (sum, one) => (sum === undefined || one === undefined ? undefined : sum + one),
      0,
    ),
    atMost: images.reduce((sum, { size }) => sum + size, 0),
  };
}
