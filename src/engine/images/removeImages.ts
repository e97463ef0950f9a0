import type { Connection } from '../http/connection.ts';
import { listContainers } from '../containers/containers.ts';
import { failedWith } from '../errors.ts';
import { inspectImage, removeImage, type ImageDetails } from './images.ts';
import type { Image } from '../model.ts';

/**
 * Removes images with all their tags, never by force. Tags may have moved since the user chose: each image is looked
 * at again right before, goes by its id, and stays if it got a tag that the user has not seen. Containers are listed
 * first: an engine would remove the tags of an image in use one by one, and keep only the last.
 *
 * @param images child images before their parents.
 */
export async function removeImages(
  connection: Connection,
  images: readonly RemovableImage[],
  signal?: AbortSignal,
): Promise<RemovedImages> {
  const containers = await listContainers(connection, { all: true }, signal);
  const used = new Set(containers.map(({ imageId }) => imageId));
  const removed: string[] = [];
  const kept = new Map<string, KeptImage>();
  for (const image of images) {
    signal?.throwIfAborted();
    const why = used.has(image.id) ? USED : await tryRemove(connection, image, signal);
    if (why) kept.set(image.id, why);
    else removed.push(image.id);
  }
  return { removed, kept };
}

/** An image as the user saw it who chose it. */
export type RemovableImage = Pick<Image, 'id' | 'tags'>;

/** Why an image was not removed. */
export type KeptImage =
  | { readonly why: 'used' }
  /** It got tags that the user has not seen. */
  | { readonly why: 'tagged'; readonly tags: readonly string[] }
  | { readonly why: 'refused'; readonly error: unknown };

/** How a removal of several ended. */
export interface RemovedImages {
  /** Ids. */
  readonly removed: readonly string[];
  /** By id. */
  readonly kept: ReadonlyMap<string, KeptImage>;
}

const USED: KeptImage = { why: 'used' };

/** Undefined if it is gone. */
async function tryRemove(
  connection: Connection,
  { id, tags }: RemovableImage,
  signal: AbortSignal | undefined,
): Promise<KeptImage | undefined> {
  try {
    const now = await findImageByName(connection, id, signal);
    if (!now) return undefined;
    const added = now.tags.filter((tag) => !tags.includes(tag));
    if (added.length > 0) return { why: 'tagged', tags: added };
    await removeWhole(connection, now, signal);
    return undefined;
  } catch (error) {
    if (failedWith(error, 'conflict', 'failed')) return { why: 'refused', error };
    throw error;
  }
}

/** By its id, which an engine takes only if nothing else leads to the image. */
async function removeWhole(
  connection: Connection,
  { id, tags }: ImageDetails,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const tag of [...new Set(tags)].slice(1)) {
    if ((await findImageByName(connection, tag, signal))?.id !== id) continue;
    await removeImage(connection, tag, {}, signal);
  }
  const now = await findImageByName(connection, id, signal);
  for (const digest of now ? foreignDigests(now) : [])
    await removeImage(connection, digest, {}, signal);
  await removeImage(connection, id, {}, signal);
}

/** Digests of another repository than its tag's: a removal by the tag or by the id leaves them. */
function foreignDigests({ tags, digests }: ImageDetails): readonly string[] {
  const names = [...tags.map((tag) => tag.replace(/:[^:/]*$/, '')), ...digests.map(repositoryOf)];
  return digests.filter((digest) => repositoryOf(digest) !== names[0]);
}

function repositoryOf(digest: string): string {
  return digest.split('@', 1)[0] ?? '';
}

/** What the user was told before they agreed to remove what a name leads to. */
export interface ConfirmedRemoval {
  /** The image's id. */
  readonly id: string;
  readonly tags: readonly string[];
  /** Whether only the tag was to be removed. */
  readonly keepsImage: boolean;
  /** Ids of the containers that a removal by force takes the image from, or takes away with it. */
  readonly users: readonly string[];
}

/** What changed while the user was asked: nothing was done. */
export class ImageChangedError extends Error {
  readonly change: 'tagMoved' | 'tagTaken' | 'lastTag' | 'newTags' | 'newUsers' | 'notPushed';

  constructor(change: ImageChangedError['change']) {
    super(change);
    this.name = 'ImageChangedError';
    this.change = change;
  }
}

/**
 * Removes a tag, or an image by its last one, if it still is what the user agreed to.
 *
 * @param name a tag, or an id.
 * @throws ImageChangedError; EngineError.
 */
export async function removeConfirmed(
  connection: Connection,
  name: string,
  agreed: ConfirmedRemoval,
  options: { readonly force?: boolean | undefined },
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'removed' | 'untagged' | 'alreadyGone' }> {
  const now = await findImageByName(connection, name, signal);
  if (!now) return { outcome: 'alreadyGone' };
  if (now.id !== agreed.id) throw new ImageChangedError('tagMoved');
  if (agreed.keepsImage && now.tags.length <= 1) throw new ImageChangedError('lastTag');
  const isWhole = name === now.id;
  if (isWhole && now.tags.some((tag) => !agreed.tags.includes(tag)))
    throw new ImageChangedError('newTags');
  if (options.force === true) {
    const containers = await listContainers(connection, { all: true }, signal);
    const users = containers.filter(({ imageId }) => imageId === now.id);
    if (users.some(({ id }) => !agreed.users.includes(id))) throw new ImageChangedError('newUsers');
  }
  const isOnlyName = now.tags.length <= 1 && foreignDigests(now).length === 0;
  return removeImage(connection, isOnlyName ? now.id : name, options, signal);
}

/** What a name leads to now; undefined if there is none. */
export async function findImageByName(
  connection: Connection,
  name: string,
  signal: AbortSignal | undefined,
): Promise<ImageDetails | undefined> {
  try {
    return await inspectImage(connection, name, signal);
  } catch (error) {
    if (failedWith(error, 'notFound')) return undefined;
    throw error;
  }
}
