import { mapConcurrently } from '../../base/mapConcurrently.ts';
import type { Connection } from '../http/connection.ts';
import { failedWith } from '../errors.ts';
import { layersOf, relativesIn, type Relatives } from './imageHistory.ts';
import { inspectImage, listImages } from './images.ts';
import type { Image } from '../model.ts';

/** Each image takes a request of its own. */
const MOST_IMAGES = 300;
const AT_ONCE = 4;

/**
 * Returns the parent and child images of an image, nearest first, by the parent IDs that the engine reports and
 * by comparing layers. Inspects every image, so call it only on demand by the user. If the engine has more than
 * 300 images, layers are not compared: relatives whose parent ID the engine does not report are missing.
 */
export async function imageRelatives(
  connection: Connection,
  reference: string,
  signal?: AbortSignal,
): Promise<{ readonly madeFrom: readonly Image[]; readonly madeInto: readonly Image[] }> {
  const { id } = await inspectImage(connection, reference, signal);
  const images = await listImages(connection, {}, signal);
  const byId = new Map(images.map((image) => [image.id, image]));
  const layers =
    images.length > MOST_IMAGES ? new Map() : await layersOfAll(connection, byId.keys(), signal);
  const byLayers = relativesIn(layers, id);
  const byParent = relativesByParent(byId, id);
  const named = (ids: readonly string[]): readonly Image[] =>
    [...new Set(ids)].flatMap((one) => byId.get(one) ?? []);
  return {
    madeFrom: named([...byParent.madeFrom, ...byLayers.madeFrom]),
    madeInto: named([...byParent.madeInto, ...byLayers.madeInto]),
  };
}

/** Finds relatives by the parent IDs in the engine's list. */
function relativesByParent(images: ReadonlyMap<string, Image>, id: string): Relatives {
  const madeFrom: string[] = [];
  let parent = images.get(id)?.parentId;
  while (parent !== undefined && !madeFrom.includes(parent)) {
    madeFrom.push(parent);
    parent = images.get(parent)?.parentId;
  }
  const madeInto = [...images.values()].flatMap((one) => (one.parentId === id ? [one.id] : []));
  return { madeFrom, madeInto };
}

async function layersOfAll(
  connection: Connection,
  ids: Iterable<string>,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, readonly string[]>> {
  // An image that was removed since the list has no layers.
  const noneIfGone = (error: unknown): readonly string[] => {
    if (failedWith(error, 'notFound', 'failed')) return [];
    throw error;
  };
  const all = await mapConcurrently(AT_ONCE, [...ids], async (id) => {
    const layers = await layersOf(connection, id, signal).catch(noneIfGone);
    return [id, layers] as const;
  });
  return new Map(all);
}
