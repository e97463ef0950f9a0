import type { Connection } from './connection.ts';
import { listContainers } from './containers.ts';
import { failedWith } from './errors.ts';
import { removeImage } from './images.ts';
import type { Image } from './model.ts';

/** What is to be known of an image to remove it. */
export type Removable = Pick<Image, 'id' | 'tags'>;

/**
 * Removes images whole, with all their names: never by force, so that what came to be used meanwhile stays. The
 * containers are listed before, for an engine would take the names of a used image one by one and keep only the last.
 *
 * @param images those made from others before these.
 * @param onDidRemove hears of each at once.
 * @returns those that are gone, and why the others are not: undefined for one that a container uses.
 */
export async function removeImages(
  connection: Connection,
  images: readonly Removable[],
  signal?: AbortSignal,
  onDidRemove?: (image: Removable) => void,
): Promise<RemovedImages> {
  const containers = await listContainers(connection, { all: true }, signal);
  const used = new Set(containers.map(({ imageId }) => imageId));
  const removed: string[] = [];
  const kept = new Map<string, unknown>();
  for (const image of images) {
    signal?.throwIfAborted();
    const why = used.has(image.id) ? IN_USE : await tryRemove(connection, image, signal);
    if (why !== undefined) {
      kept.set(image.id, why === IN_USE ? undefined : why);
      continue;
    }
    removed.push(image.id);
    onDidRemove?.(image);
  }
  return { removed, kept };
}

/** How a removal of several ended. */
export interface RemovedImages {
  /** Ids. */
  readonly removed: readonly string[];
  /** By id, the error; undefined for one that a container uses. */
  readonly kept: ReadonlyMap<string, unknown>;
}

const IN_USE = Symbol('in use');

/** Removes one by its names, or by its id where it has none. Returns why it could not. */
async function tryRemove(
  connection: Connection,
  { id, tags }: Removable,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  try {
    for (const name of tags.length === 0 ? [id] : new Set(tags)) {
      await removeImage(connection, name, {}, signal);
    }
    return undefined;
  } catch (error) {
    if (failedWith(error, 'conflict', 'failed')) return error;
    throw error;
  }
}
