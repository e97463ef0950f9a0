import type { Connection } from '../engine/http/connection.ts';
import { failedWith } from '../engine/errors.ts';
import { layerDigests } from '../engine/images/imageLayers.ts';
import { findImage, type ImageDetails } from '../engine/images/images.ts';
import type { Image } from '../engine/model.ts';

export interface BaseImage {
  readonly id: string;
  readonly tags: readonly string[];
  /** The number of its layers. All of them are shared with the other image. */
  readonly layers: number;
}

/** Maximum number of images to check. Each costs a request. */
const MOST_CANDIDATES = 200;

/**
 * Finds the base image of an image: the parent if the engine reports it, otherwise the local image that
 * shares the most layers. Resolves to undefined if there is none.
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
    const found = await baseOf(connection, id, own, signal).catch(noneIfDamaged);
    const isBelow = found && found.layers < own.length;
    if (isBelow && found.layers > (best?.layers ?? 0)) best = found;
  }
  return best;
}

/**
 * Returns the image if its layers are the lowest ones of `layers`. Otherwise, or if it no longer exists,
 * returns undefined.
 */
async function baseOf(
  connection: Connection,
  id: string,
  layers: readonly string[],
  signal: AbortSignal | undefined,
): Promise<BaseImage | undefined> {
  if (id === '') return undefined;
  const found = await findImage(connection, id, signal);
  const theirs = layerDigests(found?.raw);
  const isBase = theirs.length > 0 && theirs.every((one, index) => one === layers[index]);
  return found && isBase ? { id, tags: found.tags, layers: theirs.length } : undefined;
}

/** An image that the engine cannot inspect is not a candidate. */
function noneIfDamaged(error: unknown): undefined {
  if (!failedWith(error, 'failed')) throw error;
}
