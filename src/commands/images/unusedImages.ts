import { listContainers } from '../../engine/containers/containers.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { temporaryImageOwner } from '../../engine/images/withTemporaryContainer.ts';
import { listImages } from '../../engine/images/images.ts';
import type { DiskUse } from '../../engine/system/system.ts';
import type { Image } from '../../engine/model.ts';
import type { L10n } from '../../l10n.ts';
import { formatSize } from '../../views/format.ts';

/**
 * Returns the images that can be removed: no container uses them, and no image that stays is based on them.
 * In the order in which an engine can remove them: child images before their parents.
 *
 * @param usedIds the IDs of the images that containers use.
 */
export function unusedImages(
  images: readonly Image[],
  usedIds: ReadonlySet<string>,
  { onlyDangling }: { readonly onlyDangling: boolean },
  use?: DiskUse,
): readonly UnusedImage[] {
  const children = Map.groupBy(images, ({ parentId }) => parentId);
  const byId = new Map(images.map((image) => [image.id, image]));
  const verdicts = new Map<string, boolean>();
  const ordered: Image[] = [];
  const goes = (id: string): boolean => {
    const known = verdicts.get(id);
    if (known !== undefined) return known;
    // Images in a cycle, which no correct engine reports, are kept.
    verdicts.set(id, false);
    const image = byId.get(id);
    const isWanted = image !== undefined && (!onlyDangling || isDangling(image));
    const isFree = isWanted && !usedIds.has(id);
    const isLast = (children.get(id) ?? []).map((child) => goes(child.id)).every(Boolean);
    if (isFree && isLast) ordered.push(image);
    verdicts.set(id, isFree && isLast);
    return isFree && isLast;
  };
  for (const { id } of images) goes(id);
  return ordered.map((image) => withUse(image, use));
}

/** Finds unused images. Asks the engine and does not use what a view shows. */
export async function findUnusedImages<Use extends DiskUse | undefined>(
  connection: Connection,
  which: { readonly onlyDangling: boolean },
  measured: Promise<Use>,
  signal: AbortSignal,
) {
  const [use, all, containers] = await Promise.all([
    measured,
    listImages(connection, {}, signal),
    listContainers(connection, { all: true }, signal),
  ]);
  const images = all.filter((one) => temporaryImageOwner(one) === undefined);
  const usedIds = new Set(containers.map(({ imageId }) => imageId));
  return { use, images, unused: unusedImages(images, usedIds, which, use) };
}

/** An image that is not needed. */
export interface UnusedImage {
  readonly image: Image;
  /** In bytes, including layers shared with other images. */
  readonly size: number;
  /** Bytes that are reclaimed in any case; undefined if the engine does not tell. */
  readonly own: number | undefined;
}

/** Whether an image has no name. One that was pulled by digest has a name. */
export function isDangling({ tags, digests }: Image): boolean {
  return tags.length === 0 && digests.length === 0;
}

function withUse(image: Image, use: DiskUse | undefined): UnusedImage {
  const size = use?.images.get(image.id)?.size ?? image.size;
  return { image, size, own: ownSize(image, use) };
}

/** Returns the bytes that removing an image reclaims in any case; undefined if the engine does not tell. */
export function ownSize(image: Image, use: DiskUse | undefined): number | undefined {
  const { size, shared } = use?.images.get(image.id) ?? { size: 0, shared: undefined };
  return shared === undefined ? undefined : Math.max(0, size - shared);
}

/**
 * The disk space that a removal reclaims. Layers that only removed images share are reclaimed, too, so the
 * exact size is not known before.
 */
export interface ReclaimableSpace {
  /** In bytes; undefined if the engine does not tell what is shared. */
  readonly atLeast: number | undefined;
  readonly atMost: number;
}

/** Returns the disk space that removing all of these reclaims. */
export function reclaimableSpace(images: readonly UnusedImage[]): ReclaimableSpace {
  const isKnown = images.every(({ own }) => own !== undefined);
  return {
    atLeast: isKnown ? images.reduce((sum, { own = 0 }) => sum + own, 0) : undefined,
    atMost: images.reduce((sum, { size }) => sum + size, 0),
  };
}

/** Formats the disk space that will be reclaimed, as far as it is known before. */
export function formatReclaimableSpace({ atLeast, atMost }: ReclaimableSpace, l10n: L10n): string {
  if (atLeast === undefined) return l10n.t('Reclaims at most {0}.', formatSize(atMost));
  return atLeast === atMost
    ? l10n.t('Reclaims {0}.', formatSize(atMost))
    : l10n.t('Reclaims {0} to {1}.', formatSize(atLeast), formatSize(atMost));
}
