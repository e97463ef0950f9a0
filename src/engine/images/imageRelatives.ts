import type { Connection } from '../http/connection.ts';
import { failedWith } from '../errors.ts';
import { layersOf, relativesIn, type Relatives } from './imageHistory.ts';
import { inspectImage, listImages } from './images.ts';
import type { Image } from '../model.ts';

/** Each is asked for by itself: of more the engine is asked for nothing but what its list tells. */
const MOST_IMAGES = 300;
const AT_ONCE = 4;

/**
 * The images that one was made from and that were made from it, the nearest first: as the engine tells, and by their
 * layers where it does not. Asks for every image there is, so only for a person who wants to know.
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
  const told = relativesByParent(byId, id);
  const named = (ids: readonly string[]): readonly Image[] =>
    [...new Set(ids)].flatMap((one) => byId.get(one) ?? []);
  return {
    madeFrom: named([...told.madeFrom, ...byLayers.madeFrom]),
    madeInto: named([...told.madeInto, ...byLayers.madeInto]),
  };
}

/** By the parents in an engine's list. */
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
  const layers = new Map<string, readonly string[]>();
  const queue = [...ids].values();
  const worker = async (): Promise<void> => {
    for (const id of queue) layers.set(id, await layersIfThere(connection, id, signal));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return layers;
}

/** One that went meanwhile has none. */
async function layersIfThere(
  connection: Connection,
  id: string,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  try {
    return await layersOf(connection, id, signal);
  } catch (error) {
    if (failedWith(error, 'notFound', 'failed')) return [];
    throw error;
  }
}
