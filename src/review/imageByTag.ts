import type { Connection } from '../engine/http/connection.ts';
import { ImageChangedError } from '../engine/images/imageChangedError.ts';
import { findImage, type ImageDetails } from '../engine/images/images.ts';
import type { Image } from '../engine/model.ts';
import { parseReference, parseRepositoryAndTag } from '../engine/options/reference.ts';

/**
 * Returns the image that has a tag now and would lose it to a new image.
 *
 * @param name `repository[:tag]` as the user typed it; the tag defaults to `latest`.
 */
export function imageByTag(name: string, images: Iterable<Image>): Image | undefined {
  const full = fullTag(name);
  return full === undefined
    ? undefined
    : [...images].find(({ tags }) => tags.some((tag) => fullName(tag) === full));
}

/** The state that the user saw when choosing a tag for an image. */
export interface SeenTagOwner {
  /** The ID of the image that would lose the tag. */
  readonly holder: string | undefined;
}

/**
 * Checks that the tag is not taken from an image other than the one the user was warned about. Inspects only
 * this tag, because listing images may fail or take long on some engines.
 *
 * @param own the ID of the image that gets the tag, if it already exists.
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
  if (now && now.id !== holder && now.id !== own) throw new ImageChangedError('tagReassigned');
}

/**
 * Checks that a tag still refers to the image that the user selected.
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

export interface MovedTag {
  readonly tag: string;
  /** The ID of the image that lost the tag. */
  readonly id: string;
}

/** Returns those of `tags` that existed before and now refer to another image. */
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

/** Maps the full names of tags to image IDs. */
function holders(images: Iterable<Image>): ReadonlyMap<string, string> {
  return new Map([...images].flatMap(({ id, tags }) => tags.map((tag) => [fullName(tag), id])));
}

/**
 * Returns the image that has a tag; undefined if there is none. Inspects it by its full name, which Podman never
 * matches as part of another name or as an ID.
 *
 * @throws EngineError.
 */
export async function holderNow(
  connection: Connection,
  name: string,
  signal?: AbortSignal,
): Promise<ImageDetails | undefined> {
  const full = fullTag(name);
  return full === undefined ? undefined : findImage(connection, full, signal);
}

/** Returns the full name of `repository[:tag]`, or undefined if it is invalid. */
function fullTag(name: string): string | undefined {
  const wanted = parseRepositoryAndTag(name);
  if (!wanted.ok) return undefined;
  const { repository, tag = 'latest' } = wanted.value;
  return fullName(`${repository}:${tag}`);
}

/** Returns a reference with its registry, which may be implicit in the input. */
function fullName(reference: string): string {
  const read = parseReference(reference);
  if (!read.ok) return reference;
  const { registry, repository, tag = 'latest' } = read.value;
  return `${registry}/${repository}:${tag}`;
}
