import type { Connection } from '../http/connection.ts';
import { listContainers } from '../containers/containers.ts';
import { failedWith } from '../errors.ts';
import { ImageChangedError } from '../images/imageChangedError.ts';
import { findImage, removeImage, type ImageDetails } from '../images/images.ts';
import type { Image } from '../model.ts';
import { repositoryOf } from '../options/reference.ts';

/**
 * Removes an image with all its tags, never with force. Because tags may have moved since the user chose, the image
 * is inspected again right before, removed by its ID, and kept if it got a tag that the user has not seen. It is
 * also kept if a container uses it: an engine would remove its tags one by one and keep only the last.
 *
 * @param used from {@link listUsedImages}, requested right before the first removal. Of several images, remove
 *   children before their parents.
 * @returns undefined if the image is gone, else the reason why it was kept.
 */
export async function removeUnusedImage(
  connection: Connection,
  seen: RemovableImage,
  used: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<KeptImage | undefined> {
  const { id } = seen;
  if (used.has(id)) return USED;
  try {
    const now = await findImage(connection, id, signal);
    if (!now) return undefined;
    const added = addedNames(now, seen);
    if (added.length > 0) return { why: 'tagged', tags: added };
    // Engines refuse to remove the last name of an image in use, but not the others.
    const hasSeveralNames = now.tags.length + foreignDigests(now).length > 1;
    if (hasSeveralNames && (await listUsedImages(connection, signal)).has(id)) return USED;
    return await removeWhole(connection, now, signal);
  } catch (error) {
    if (failedWith(error, 'conflict', 'failed')) return { why: 'refused', error };
    throw error;
  }
}

/** An image as the user saw it when choosing. Without `digests`, it may have been pulled by any digest since. */
export type RemovableImage = Pick<Image, 'id' | 'tags'> & Partial<Pick<Image, 'digests'>>;

/** Reason why an image was not removed. */
export type KeptImage =
  | { readonly why: 'used' }
  /** The image got tags that the user has not seen. */
  | { readonly why: 'tagged'; readonly tags: readonly string[] }
  | { readonly why: 'refused'; readonly error: unknown };

const USED: KeptImage = { why: 'used' };

/** Returns the IDs of the images that containers use. */
export async function listUsedImages(
  connection: Connection,
  signal?: AbortSignal,
): Promise<ReadonlySet<string>> {
  const containers = await listContainers(connection, { all: true }, signal);
  return new Set(containers.map(({ imageId }) => imageId));
}

/** Returns the names of an image that the user has not seen, and that a removal would remove, too. */
function addedNames(now: ImageDetails, { tags, digests }: RemovableImage): readonly string[] {
  return [
    ...now.tags.filter((tag) => !tags.includes(tag)),
    ...foreignDigests(now).filter((digest) => digests?.includes(digest) === false),
  ];
}

/**
 * Removes an image by its ID. Engines accept an ID only if no other tag or digest refers to the image, so these
 * are removed first. A name that it gets in the meantime stays, and the image with it.
 */
async function removeWhole(
  connection: Connection,
  seen: ImageDetails,
  signal: AbortSignal | undefined,
): Promise<KeptImage | undefined> {
  const { id, tags } = seen;
  for (const tag of [...new Set(tags)].slice(1)) {
    if ((await findImage(connection, tag, signal))?.id !== id) continue;
    await removeImage(connection, tag, {}, signal);
  }
  const now = await findImage(connection, id, signal);
  if (!now) return undefined;
  const added = addedNames(now, seen);
  if (added.length > 0) return { why: 'tagged', tags: added };
  for (const digest of foreignDigests(now)) await removeImage(connection, digest, {}, signal);
  await removeImage(connection, id, {}, signal);
  return undefined;
}

/** Returns the digests of other repositories than the tag's. Removing the tag or the ID does not remove them. */
function foreignDigests({ tags, digests }: ImageDetails): readonly string[] {
  const [own] = [...tags, ...digests].map(repositoryOf);
  return digests.filter((digest) => repositoryOf(digest) !== own);
}

/** The removal as the user confirmed it. */
export interface ConfirmedRemoval {
  /** Image ID. */
  readonly id: string;
  readonly tags: readonly string[];
  /** Whether only the tag is to be removed. */
  readonly keepsImage: boolean;
  /** IDs of the containers that use the image. With force they lose it or are removed with it. */
  readonly users: readonly string[];
}

/**
 * Removes a tag, or an image by its last tag, if it is still as the user confirmed it.
 *
 * @param name a tag or an ID.
 * @throws ImageChangedError if something changed since; EngineError.
 */
export async function removeConfirmed(
  connection: Connection,
  name: string,
  agreed: ConfirmedRemoval,
  options: { readonly force?: boolean },
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'removed' | 'untagged' | 'alreadyGone' }> {
  const now = await findImage(connection, name, signal);
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
