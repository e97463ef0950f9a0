import type { Connection } from '../engine/http/connection.ts';
import { findImageByName, ImageChangedError } from '../engine/images/removeImages.ts';
import type { ImageDetails } from '../engine/images/images.ts';
import type { Image } from '../engine/model.ts';
import { parseReference, parseRepositoryAndTag } from '../engine/options/reference.ts';

/**
 * The image that has a name now, which a new image would take from it.
 *
 * @param name `repository[:tag]` as a person writes it; `latest` where there is no tag.
 */
export function imageByTag(name: string, images: Iterable<Image>): Image | undefined {
  const wanted = parseRepositoryAndTag(name);
  if (!wanted.ok) return undefined;
  const full = fullName(`${wanted.value.repository}:${wanted.value.tag ?? 'latest'}`);
  for (const image of images) {
    if (image.tags.some((tag) => fullName(tag) === full)) return image;
  }
  return undefined;
}

/** What the user saw when they chose a name for an image. */
export interface SeenTagOwner {
  /** The id of the image that would lose the name. */
  readonly holder: string | undefined;
}

/**
 * Makes sure that no other image loses its name than the one that the user was warned of. Only this name is asked
 * for: an engine that cannot list its images, or takes long to, can still tell of one.
 *
 * @param own the id of the image that takes the name, if it exists already.
 * @throws ImageChangedError
 */
export async function checkTagOwner(
  connection: Connection,
  name: string,
  { holder }: SeenTagOwner,
  own?: string,
  signal?: AbortSignal,
): Promise<void> {
  const now = await holderNow(connection, name, signal);
  if (now && now.id !== holder && now.id !== own) throw new ImageChangedError('tagTaken');
}

/**
 * Makes sure that a tag still refers to the image that the user chose by it.
 *
 * @throws ImageChangedError
 */
export async function checkTagUnchanged(
  connection: Connection,
  name: string,
  id: string,
  signal?: AbortSignal,
): Promise<void> {
  const now = await holderNow(connection, name, signal);
  if (now && now.id !== id) throw new ImageChangedError('notPushed');
}

/** A tag that refers to another image than before. */
export interface MovedTag {
  readonly tag: string;
  /** The id of the image that has lost it. */
  readonly id: string;
}

/** Which of `tags` refer to other images now than they did before, and are not new. */
export function movedTags(
  tags: readonly string[],
  before: Iterable<Image>,
  now: Iterable<Image>,
): readonly MovedTag[] {
  const holdersBefore = holders(before);
  const holdersNow = holders(now);
  return tags.flatMap((tag) => {
    const id = holdersBefore.get(fullName(tag));
    const other = holdersNow.get(fullName(tag));
    return id !== undefined && other !== undefined && id !== other ? [{ tag, id }] : [];
  });
}

/** Ids of images by the full names of their tags. */
function holders(images: Iterable<Image>): ReadonlyMap<string, string> {
  return new Map([...images].flatMap(({ id, tags }) => tags.map((tag) => [fullName(tag), id])));
}

/** By its full name, which Podman never takes for a part of another one or for an id. */
async function holderNow(
  connection: Connection,
  name: string,
  signal: AbortSignal | undefined,
): Promise<ImageDetails | undefined> {
  const wanted = parseRepositoryAndTag(name);
  if (!wanted.ok) return undefined;
  const { repository, tag = 'latest' } = wanted.value;
  return findImageByName(connection, fullName(`${repository}:${tag}`), signal);
}

/** With its registry, whether that was written or not. */
function fullName(reference: string): string {
  const read = parseReference(reference);
  if (!read.ok) return reference;
  const { registry, repository, tag = 'latest' } = read.value;
  return `${registry}/${repository}:${tag}`;
}
