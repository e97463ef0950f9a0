import type { Connection } from '../engine/http/connection.ts';
import { failedWith } from '../engine/errors.ts';
import { layerDigests } from '../engine/images/imageLayers.ts';
import { inspectImage, type ImageDetails } from '../engine/images/images.ts';
import type { Image } from '../engine/model.ts';

/** The image that another one was made on. */
export interface BaseImage {
  readonly id: string;
  readonly tags: readonly string[];
  /** How many of the layers they have in common: all of its own. */
  readonly layers: number;
}

/** Each costs a request. */
const MOST_CANDIDATES = 200;

/**
 * Finds what an image was made on: its parent where the engine tells it, else the image here that has most of its
 * layers. Undefined where there is none.
 *
 * @throws EngineError.
 */
export async function findBaseImage(
  connection: Connection,
  image: ImageDetails,
  images: readonly Image[],
  signal?: AbortSignal,
): Promise<BaseImage | undefined> {
  const own = layerDigests(image.raw);
  const parent = await baseOf(connection, image.parentId, own, signal);
  if (parent) return parent;
  let best: BaseImage | undefined;
  const others = images.filter(({ id }) => id !== image.id && id !== image.parentId);
  for (const { id } of others.slice(0, MOST_CANDIDATES)) {
    const found = await baseOf(connection, id, own, signal);
    const isBelow = found && found.layers < own.length;
    if (isBelow && found.layers > (best?.layers ?? 0)) best = found;
  }
  return best;
}

/** An image whose layers are the lowest of these; undefined for any other, and for one that is gone. */
async function baseOf(
  connection: Connection,
  id: string,
  layers: readonly string[],
  signal: AbortSignal | undefined,
): Promise<BaseImage | undefined> {
  if (id === '') return undefined;
  try {
    const { raw, tags } = await inspectImage(connection, id, signal);
    const theirs = layerDigests(raw);
    const isBase = theirs.length > 0 && theirs.every((one, index) => one === layers[index]);
    return isBase ? { id, tags, layers: theirs.length } : undefined;
  } catch (error) {
    if (failedWith(error, 'notFound')) return undefined;
    throw error;
  }
}
