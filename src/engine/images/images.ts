import type { Connection } from '../http/connection.ts';
import { badAnswer } from '../http/readReply.ts';
import { failedWith } from '../errors.ts';
import { fetchList } from '../fetchList.ts';
import type { Image } from '../model.ts';
import { platformAsJson } from '../isSamePlatform.ts';
import {
  asImageId,
  asLine,
  asLines,
  asList,
  asMoment,
  asNumber,
  asRecord,
  asText,
  withAlgorithm,
} from '../wire.ts';

/**
 * The path of one image, or of one of its operations. The slashes of a reference stay slashes. A whole id has
 * its algorithm before it, for Podman takes a bare one that it does not have for a malformed name.
 */
export function imagePath(reference: string, operation = ''): string {
  const name = withAlgorithm(reference.toWellFormed()).split('/').map(encodeURIComponent).join('/');
  return `/images/${name}${operation === '' ? '' : `/${operation}`}`;
}

/** Lists images: `GET /images/json`. @param options `all`: intermediate ones, too; `isPatient`: as of a request. */
export async function listImages(
  connection: Connection,
  options: { readonly all?: boolean; readonly isPatient?: boolean },
  signal?: AbortSignal,
): Promise<readonly Image[]> {
  const query = { all: options.all === true ? true : undefined };
  const { isPatient } = options;
  const ask = (): Promise<readonly unknown[]> =>
    fetchList(connection, { method: 'GET', path: '/images/json', query, isPatient, signal });
  const list = await ask().catch((error: unknown) => {
    // Podman 4 stumbles over an image that somebody removes at this moment.
    if (!failedWith(error, 'failed') || error.status !== 500) throw error;
    return ask();
  });
  return list.map(readImage).filter((one) => one !== undefined);
}

/** One element of `GET /images/json`; undefined where it has no id to hold it by. */
export function readImage(value: unknown): Image | undefined {
  const wire = asRecord(value);
  const id = asImageId(wire['Id']);
  if (id === '') return undefined;
  const parentId = asImageId(wire['ParentId']);
  const containers = asNumber(wire['Containers']);
  return {
    id,
    tags: readReferences(wire['RepoTags']),
    digests: readReferences(wire['RepoDigests']),
    createdAt: asMoment(wire['Created']),
    size: asNumber(wire['Size']) ?? 0,
    ...(parentId === '' ? {} : { parentId }),
    // Older engines say -1 for "not counted".
    ...(containers === undefined || containers < 0 ? {} : { containers }),
  };
}

/** Older engines write `<none>` where there is nothing. */
function readReferences(value: unknown): readonly string[] {
  return asLines(value).filter((reference) => !reference.includes('<none>'));
}

/** What `GET /images/{name}/json` tells that we use, with the whole answer beside it. */
export interface ImageDetails {
  readonly id: string;
  readonly parentId: string;
  readonly tags: readonly string[];
  readonly digests: readonly string[];
  /** `os/architecture[/variant]`. */
  readonly platform: string;
  readonly raw: unknown;
}

/** Everything about one image: `GET /images/{name}/json`. */
export async function inspectImage(
  connection: Connection,
  reference: string,
  signal?: AbortSignal,
): Promise<ImageDetails> {
  const path = imagePath(reference, 'json');
  const raw = (await connection.send({ method: 'GET', path, signal })).json();
  const wire = asRecord(raw);
  const id = asImageId(wire['Id']);
  if (id === '') throw badAnswer(connection, `GET ${path}`);
  return {
    id,
    parentId: asImageId(wire['Parent']),
    tags: readReferences(wire['RepoTags']),
    digests: readReferences(wire['RepoDigests']),
    platform: [wire['Os'], wire['Architecture'], wire['Variant']]
      .map(asLine)
      .filter((part) => part !== '')
      .join('/'),
    raw,
  };
}

/** Whether the engine has an image under this name for a platform. Not every engine can be asked that. */
export async function hasPlatform(
  connection: Connection,
  reference: string,
  platform: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const path = imagePath(reference, 'json');
  const query = { platform: platformAsJson(platform) };
  try {
    await connection.send({ method: 'GET', path, query, signal });
    return true;
  } catch (error) {
    if (failedWith(error, 'notFound')) return false;
    throw error;
  }
}

/** Whether the engine has an image under this name. */
export async function hasImage(
  connection: Connection,
  reference: string,
  signal?: AbortSignal,
): Promise<boolean> {
  try {
    await inspectImage(connection, reference, signal);
    return true;
  } catch (error) {
    if (failedWith(error, 'notFound')) return false;
    throw error;
  }
}

/** Gives an image one more name: `POST /images/{name}/tag`. A name that was another image's moves. */
export async function tagImage(
  connection: Connection,
  reference: string,
  target: { readonly repository: string; readonly tag?: string | undefined },
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'tagged' }> {
  await connection.send({
    method: 'POST',
    path: imagePath(reference, 'tag'),
    query: { repo: target.repository, tag: target.tag ?? 'latest' },
    signal,
  });
  return { outcome: 'tagged' };
}

/**
 * Removes a name of an image, with its last name the image: `DELETE /images/{name}`.
 *
 * @throws EngineError `conflict` while containers use it, or where an id has several names, without `force`.
 */
export async function removeImage(
  connection: Connection,
  reference: string,
  options: { readonly force?: boolean | undefined } = {},
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'removed' | 'untagged' | 'alreadyGone' }> {
  try {
    const reply = await connection.send({
      method: 'DELETE',
      path: imagePath(reference),
      query: { force: options.force },
      limitMs: 0,
      signal,
    });
    const isDeleted = asList(reply.json()).some((one) => asText(asRecord(one)['Deleted']) !== '');
    return { outcome: isDeleted ? 'removed' : 'untagged' };
  } catch (error) {
    if (failedWith(error, 'notFound')) return { outcome: 'alreadyGone' };
    throw error;
  }
}
