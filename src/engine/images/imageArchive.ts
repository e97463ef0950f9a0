/** Images as archives: out of an engine and into one, byte for byte as they go by. */

import type { L10n } from '../../l10n.ts';
import { checkChange } from '../options/checkChange.ts';
import type { Connection } from '../http/connection.ts';
import { EngineError, InputError, type RequestContext } from '../errors.ts';
import { inspectImage } from './images.ts';
import { describeReferenceProblem, parseRepositoryAndTag } from '../options/reference.ts';
import { badAnswer } from '../http/readReply.ts';
import type { EngineRequest, Upload } from '../http/engineRequest.ts';
import { JsonRecords } from '../jsonRecords.ts';
import { TarValidator } from '../archive/tarValidator.ts';
import { streamFailure } from '../http/connectionFailure.ts';
import { asImageId, asRecord, asText, withAlgorithm } from '../wire.ts';

/** What an archive of images is sent as; engines find out by themselves how it is compressed. */
export const ARCHIVE_TYPE = 'application/x-tar';

/**
 * The archive of one or several images: `GET /images/get`. Resolves once the engine begins; read it once.
 *
 * @param names references or ids; an image that is named by its id has no name in the archive.
 * @throws EngineError `notFound` or `failed` where one is not there. The reading throws EngineError `failed` with the
 * engine's words where it failed in the middle, which it writes into the archive, and `cut` where the archive is
 * not whole.
 */
export async function saveImages(
  connection: Connection,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const query = { names: names.map(withAlgorithm) };
  const { body } = await connection.stream({ method: 'GET', path: '/images/get', query, signal });
  return whole(body, { endpoint: connection.endpoint.url, operation: 'GET /images/get' });
}

async function* whole(
  body: AsyncIterable<Uint8Array>,
  where: RequestContext,
): AsyncGenerator<Uint8Array> {
  const watch = new TarValidator();
  for await (const chunk of body) {
    watch.push(chunk);
    yield chunk;
  }
  if (watch.end !== 'whole') throw errorInTail(watch.tail, where) ?? new EngineError('cut', where);
}

/** The failure that an engine wrote behind what it had sent of the archive. */
function errorInTail(tail: string, where: RequestContext): EngineError | undefined {
  const at = tail.lastIndexOf('{"errorDetail":');
  if (at < 0) return undefined;
  try {
    return streamFailure(JSON.parse(tail.slice(at)), where);
  } catch {
    return undefined;
  }
}

/** What came out of an archive. */
export interface LoadedImages {
  /** References; of an image without one its id. In the engine's order. */
  readonly images: readonly string[];
}

/**
 * Puts the images of an archive into an engine: `POST /images/load`.
 *
 * @throws EngineError `failed` with the engine's words for what is no such archive, UploadError where it cannot be read.
 */
export async function loadImages(
  connection: Connection,
  upload: Upload,
  signal?: AbortSignal,
): Promise<LoadedImages> {
  const images = new Set<string>();
  const request: EngineRequest = { method: 'POST', path: '/images/load', upload, signal };
  await follow(connection, request, (record) => {
    const [, names = ''] = LOADED.exec(asText(record['stream'])) ?? [];
    for (const name of names.split(',', MOST_IMAGES))
      if (name !== '' && images.size < MOST_IMAGES) images.add(name);
  });
  return { images: [...images] };
}

/** No archive has more; an engine may tell of more, without an end. */
const MOST_IMAGES = 10_000;
/** An engine says only in a sentence what it loaded; Podman puts several into one. */
const LOADED = /^Loaded image(?:\(s\)|s| ID)?: *(\S+)\s*$/;

/** A file system that is to become an image. */
export interface ImportRequest {
  /** May have the tag in it. */
  readonly repository: string;
  /** `latest` where it stands nowhere. */
  readonly tag?: string;
  readonly message?: string;
  /** Dockerfile instructions, one each. */
  readonly changes?: readonly string[];
}

/** The name that an import gives. @throws InputError. */
export function importTarget({ repository, tag }: ImportRequest, l10n: L10n): string {
  const target = parseRepositoryAndTag(repository, tag);
  if (!target.ok) throw new InputError(describeReferenceProblem(target.problem, l10n));
  return `${target.value.repository}:${target.value.tag ?? 'latest'}`;
}

/**
 * Makes an image of one layer out of an archive of its files: `POST /images/create`.
 *
 * Docker with containerd's store keeps the image of an import that failed, under the name. It stays: the failure
 * does not tell its id, and by the name it may be an image that somebody else has tagged in the meantime.
 *
 * @throws InputError for a name or a change that is none; EngineError, UploadError as with a load.
 */
export async function importImage(
  connection: Connection,
  request: ImportRequest,
  upload: Upload,
  l10n: L10n,
  signal?: AbortSignal,
): Promise<{ readonly imageId: string }> {
  const name = importTarget(request, l10n);
  const changes = request.changes?.map((change) => checkChange(change, l10n));
  const wire: EngineRequest = {
    method: 'POST',
    path: '/images/create',
    // The tag inside the name: Podman 4 overlooks it beside.
    query: { fromSrc: '-', repo: name, message: request.message, changes },
    upload,
    signal,
  };
  let imageId = '';
  await follow(connection, wire, (record) => {
    const id = asImageId(asText(record['status']).trim());
    if (/^sha256:[0-9a-f]{64}$/.test(id)) imageId = id;
  });
  if (imageId === '') imageId = (await inspectImage(connection, name, signal)).id;
  if (imageId === '') throw badAnswer(connection, 'POST /images/create');
  return { imageId };
}

/** Follows an answer of records to its end. Rejects with the failure that one of them tells. */
async function follow(
  connection: Connection,
  request: EngineRequest,
  take: (record: Readonly<Record<string, unknown>>) => void,
): Promise<void> {
  const where = {
    endpoint: connection.endpoint.url,
    operation: `${request.method} ${request.path}`,
  };
  const records = new JsonRecords({ where });
  const read = (found: readonly unknown[]): void => {
    for (const record of found) {
      const failure = streamFailure(record, where);
      if (failure) throw failure;
      take(asRecord(record));
    }
  };
  const { body } = await connection.stream(request);
  for await (const chunk of body) read(records.push(chunk));
  read(records.end());
}
