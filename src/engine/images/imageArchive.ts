import { posix } from 'node:path';
import { checkChange } from '../options/checkChange.ts';
import type { Connection } from '../http/connection.ts';
import { EngineError, type RequestContext } from '../errors.ts';
import { ImageContentError } from './imageContentError.ts';
import { inspectImage } from './images.ts';
import { parseRepositoryAndTag, requireValid } from '../options/reference.ts';
import { badAnswer } from '../http/readReply.ts';
import type { EngineRequest, Upload } from '../http/engineRequest.ts';
import { followTransfer } from '../registries/followTransfer.ts';
import { TarValidator } from '../archive/tarValidator.ts';
import { streamFailure } from '../http/connectionFailure.ts';
import { asImageId, asText, withAlgorithm, asList, asRecord, asTexts } from '../wire/wire.ts';
import { tryParseJson, parseJson } from '../wire/parseJson.ts';

/** Content type of an uploaded archive. Engines detect the compression themselves. */
export const ARCHIVE_TYPE = 'application/x-tar';

/**
 * Returns the archive of one or more images: `GET /images/get`. Resolves when the engine starts to send. The
 * archive can be read only once.
 *
 * @param names references or IDs; an image given by its ID has no tag in the archive.
 * @throws EngineError `notFound` or `failed` if an image does not exist. Reading the archive throws EngineError
 * `failed` with the engine's message if the engine failed halfway (it writes the failure into the archive), and
 * `cut` if the archive is incomplete; ImageContentError at its end if it has no manifest, or lacks a layer or the
 * configuration of an image: Docker with the containerd image store leaves out what it does not have.
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
  const contents = new ArchiveContents(where);
  const watch = new TarValidator(
    ({ name }) => contents.begin(name),
    (piece) => contents.add(piece),
  );
  for await (const chunk of body) {
    watch.push(chunk);
    yield chunk;
  }
  if (watch.end !== 'whole') throw errorInTail(watch.tail, where) ?? new EngineError('cut', where);
  if (!contents.isComplete) throw new ImageContentError('missingLayers');
}

/** Returns the failure that an engine appended to an incomplete archive. */
function errorInTail(tail: string, where: RequestContext): EngineError | undefined {
  const at = tail.lastIndexOf('{"errorDetail":');
  return at < 0 ? undefined : streamFailure(tryParseJson(tail.slice(at)), where);
}

/**
 * Loads the images of an archive: `POST /images/load`.
 *
 * @returns their references in the engine's order, or the ID of an image without one.
 * @throws EngineError `failed` with the engine's message if this is not an image archive; UploadError if the
 * archive cannot be read.
 */
export async function loadImages(
  connection: Connection,
  upload: Upload,
  signal?: AbortSignal,
): Promise<{ readonly images: readonly string[] }> {
  const images = new Set<string>();
  const request: EngineRequest = { method: 'POST', path: '/images/load', upload, signal };
  await followTransfer(connection, request, (record) => {
    const [, names = ''] = LOADED.exec(asText(record['stream'])) ?? [];
    for (const name of names.split(',', MOST_IMAGES))
      if (name !== '' && images.size < MOST_IMAGES) images.add(name);
  });
  return { images: [...images] };
}

/** Limit against an engine that reports images without end. No archive has more. */
const MOST_IMAGES = 10_000;
/** Engines report a loaded image only as a sentence; Podman puts several names into one. */
const LOADED = /^Loaded image(?:\(s\)|s| ID)?: *(\S+)\s*$/;

/** The file system archive to import, and the image to create from it. */
export interface ImportRequest {
  /** Can include the tag: `me/app:1`. */
  readonly repository: string;
  /** Default: `latest`. */
  readonly tag?: string;
  readonly message?: string;
  /** Dockerfile instructions, one per entry. */
  readonly changes?: readonly string[];
}

/** Returns the name of the imported image, with its tag. @throws InputError. */
export function importTarget(request: ImportRequest): string {
  const checked = parseRepositoryAndTag(request.repository, request.tag);
  const { repository, tag = 'latest' } = requireValid(checked);
  return `${repository}:${tag}`;
}

/**
 * Creates an image of one layer from an archive of its files: `POST /images/create`.
 *
 * Docker with the containerd image store keeps the tagged image of a failed import. It is not removed: the failure does
 * not contain its ID, and the tag may already point to an image that another client has tagged since.
 *
 * @throws InputError for an invalid name or change; EngineError and UploadError as in `loadImages`.
 */
export async function importImage(
  connection: Connection,
  request: ImportRequest,
  upload: Upload,
  signal?: AbortSignal,
): Promise<{ readonly imageId: string }> {
  const name = importTarget(request);
  const changes = request.changes?.map((change) => checkChange(change));
  const wire: EngineRequest = {
    method: 'POST',
    path: '/images/create',
    // The tag is part of the name because Podman 4 ignores a separate one.
    query: { fromSrc: '-', repo: name, message: request.message, changes },
    upload,
    signal,
  };
  let imageId = '';
  await followTransfer(connection, wire, (record) => {
    const id = asImageId(asText(record['status']).trim());
    if (/^sha256:[0-9a-f]{64}$/.test(id)) imageId = id;
  });
  if (imageId === '') imageId = (await inspectImage(connection, name, signal)).id;
  if (imageId === '') throw badAnswer(connection, 'POST /images/create');
  return { imageId };
}

/** Limit on the manifest in bytes, and on the characters of all names: far more than any real archive has. */
const MOST = 64 * 1024 * 1024;
/** A manifest of an OCI layout, which has no list of layers by path. */
const INDEX = 'index.json';
/** In bytes. Registries accept no larger one. */
const LARGEST_MANIFEST = 4 * 1024 * 1024;
const BRACE = 0x7b;

/**
 * Contents of an archive of images, compared with what its manifest lists. It streams by, and the manifest may be its
 * last entry.
 */
class ArchiveContents {
  readonly #where: RequestContext;
  readonly #names = new Set<string>();
  readonly #manifest: Uint8Array[] = [];
  #isManifest = false;
  /** The JSON of the current blob so far, of which one in an OCI layout can be a manifest. */
  #blob: Uint8Array[] | undefined;
  /** Names that the manifests among the blobs list. */
  readonly #listed = new Set<string>();
  #hasManifest = false;
  #size = 0;

  constructor(where: RequestContext) {
    this.#where = where;
  }

  /** Begins with the next entry. @throws EngineError `tooLarge`. */
  begin(name: string): void {
    this.#endBlob();
    const path = posix.normalize(name);
    this.#blob = path.startsWith('blobs/') ? [] : undefined;
    this.#isManifest = path === 'manifest.json';
    this.#hasManifest ||= this.#isManifest;
    this.#count(path.length);
    this.#names.add(path);
  }

  /** Adds a piece of the contents of the entry. @throws EngineError `tooLarge`. */
  add(piece: Uint8Array): void {
    this.#addToBlob(piece);
    if (!this.#isManifest) return;
    this.#count(piece.length);
    this.#manifest.push(piece.slice());
  }

  /** Whether nothing is missing, now that all entries went by. @throws EngineError `badAnswer`. */
  get isComplete(): boolean {
    this.#endBlob();
    // A platform besides the default one is listed only here.
    if ([...this.#listed].some((file) => !this.#names.has(file))) return false;
    if (!this.#hasManifest) return this.#names.has(INDEX);
    const images = asList(parseJson(Buffer.concat(this.#manifest).toString('utf8'), this.#where));
    // Without an image, nothing is missing of any.
    if (images.length === 0) return false;
    return images.map(asRecord).every((image) => {
      const files = [asText(image['Config']), ...asTexts(image['Layers'])];
      return files.every((file) => this.#names.has(posix.normalize(file)));
    });
  }

  /** Keeps a piece of a blob as long as it can be a manifest. */
  #addToBlob(piece: Uint8Array): void {
    const size = this.#blob?.reduce((sum, one) => sum + one.length, 0) ?? 0;
    const isText = size > 0 || piece[0] === BRACE;
    if (isText && size + piece.length <= LARGEST_MANIFEST) this.#blob?.push(piece.slice());
    else if (piece.length > 0) this.#blob = undefined;
  }

  #endBlob(): void {
    const { config, layers } = asRecord(tryParseJson(Buffer.concat(this.#blob ?? []).toString()));
    this.#blob = undefined;
    if (config === undefined || !Array.isArray(layers)) return;
    for (const one of [asRecord(config), ...layers.map(asRecord)]) {
      const digest = asText(one['digest']);
      // Layers that may not be distributed are never in an archive.
      if (digest === '' || asList(one['urls']).length > 0) continue;
      this.#count(digest.length);
      this.#listed.add(posix.join('blobs', digest.replace(':', '/')));
    }
  }

  #count(more: number): void {
    this.#size += more;
    if (this.#size > MOST) throw new EngineError('tooLarge', this.#where);
  }
}
