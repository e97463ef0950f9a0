import type { Connection } from '../http/connection.ts';
import { badAnswer } from '../http/readReply.ts';
import { failedWith, unlessNotFound } from '../errors.ts';
import { fetchList, readInTurns } from '../http/fetchList.ts';
import type { Image } from '../model.ts';
import { platformAsJson } from '../options/isSamePlatform.ts';
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
} from '../wire/wire.ts';

/**
 * Returns the API path of an image, or of one of its operations. Slashes of a reference are kept. A full ID gets
 * its algorithm prefix, because Podman rejects an unknown ID without it as a malformed name.
 */
export function imagePath(reference: string, operation = ''): string {
  const name = withAlgorithm(reference.toWellFormed()).split('/').map(encodeURIComponent).join('/');
  return `/images/${name}${operation === '' ? '' : `/${operation}`}`;
}

/**
 * Lists images: `GET /images/json`.
 *
 * @param options `all`: include intermediate images; `isPatient`: see `EngineRequest`.
 */
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
    // Podman 4 fails with 500 if an image is removed while it lists them.
    if (!failedWith(error, 'failed') || error.status !== 500) throw error;
    return ask();
  });
  return readInTurns(list, readImage, signal);
}

/** Reads one element of `GET /images/json`; undefined if it has no ID. */
export function readImage(value: unknown): Image | undefined {
  const wire = asRecord(value);
  const id = asImageId(wire['Id']);
  if (id === '') return undefined;
  const parentId = asImageId(wire['ParentId']);
  const containers = asNumber(wire['Containers']);
  return {
    id,
    tags: readTags(wire['RepoTags']),
    digests: readReferences(wire['RepoDigests']),
    createdAt: asMoment(wire['Created']),
    size: asNumber(wire['Size']) ?? 0,
    ...(parentId === '' ? {} : { parentId }),
    // Older engines report -1 for "not counted".
    ...(containers === undefined || containers < 0 ? {} : { containers }),
  };
}

/** Reads tags. With the containerd image store, Docker lists what was pulled by digest among them, too. */
function readTags(value: unknown): readonly string[] {
  return readReferences(value).filter((reference) => !reference.includes('@'));
}

/** The most tags, and the most digests, of one image. */
const MOST_REFERENCES = 5_000;

/** Reads tags or digests. Older engines return `<none>` instead of an empty list. */
function readReferences(value: unknown): readonly string[] {
  return asLines(asList(value).slice(0, MOST_REFERENCES)).filter(
    (reference) => !reference.includes('<none>'),
  );
}

/** The used fields of `GET /images/{name}/json`, and the whole response in `raw`. */
export interface ImageDetails {
  readonly id: string;
  readonly parentId: string;
  readonly tags: readonly string[];
  readonly digests: readonly string[];
  /** `os/architecture[/variant]`. */
  readonly platform: string;
  readonly raw: unknown;
}

/**
 * Inspects an image: `GET /images/{name}/json`.
 *
 * @throws EngineError `notFound`; `badAnswer` if the response has no ID.
 */
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
    tags: readTags(wire['RepoTags']),
    digests: readReferences(wire['RepoDigests']),
    platform: [wire['Os'], wire['Architecture'], wire['Variant']]
      .map(asLine)
      .filter((part) => part !== '')
      .join('/'),
    raw,
  };
}

/**
 * Whether the engine has an image for a platform: `GET /images/{name}/json`. Only for engines with the capability
 * `inspectsByPlatform`.
 */
export async function hasPlatform(
  connection: Connection,
  reference: string,
  platform: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const path = imagePath(reference, 'json');
  const query = { platform: platformAsJson(platform) };
  const asked = connection.send({ method: 'GET', path, query, signal });
  return (await unlessNotFound(asked)) !== undefined;
}

/** Inspects an image by name or ID; undefined if there is none. */
export async function findImage(
  connection: Connection,
  reference: string,
  signal?: AbortSignal,
): Promise<ImageDetails | undefined> {
  return unlessNotFound(inspectImage(connection, reference, signal));
}

/** Tags an image: `POST /images/{name}/tag`. A tag that another image has is moved. */
export async function tagImage(
  connection: Connection,
  reference: string,
  target: { readonly repository: string; readonly tag?: string },
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
 * Removes a tag of an image, and the image itself with its last tag: `DELETE /images/{name}`.
 *
 * @throws EngineError `conflict` if containers use the image, or if an ID has several tags, unless `force` is set.
 */
export async function removeImage(
  connection: Connection,
  reference: string,
  options: { readonly force?: boolean } = {},
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'removed' | 'untagged' | 'alreadyGone' }> {
  const path = imagePath(reference);
  const query = { force: options.force };
  const reply = await unlessNotFound(
    connection.send({ method: 'DELETE', path, query, limitMs: 0, signal }),
  );
  if (!reply) return { outcome: 'alreadyGone' };
  const isDeleted = asList(reply.json()).some((one) => asText(asRecord(one)['Deleted']) !== '');
  return { outcome: isDeleted ? 'removed' : 'untagged' };
}

/**
 * Whether the engine uses the containerd image store, where one name can represent several platforms:
 * `GET /info`, which is expensive on some engines.
 */
export async function hasContainerdStore(
  connection: Connection,
  signal?: AbortSignal,
): Promise<boolean> {
  const reply = await connection.send({ method: 'GET', path: '/info', signal });
  const pairs = asList(asRecord(reply.json())['DriverStatus']).map(asList);
  return pairs.some(([, value]) => asText(value).startsWith('io.containerd.snapshotter'));
}
