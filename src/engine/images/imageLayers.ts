/** Lists the files in the layers of an image by reading the archive that the engine saves it as. */

import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { pipeline, Readable, type Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { PATH_LIMIT, asLines, asList, asRecord, asTexts } from '../wire/wire.ts';
import type { Connection } from '../http/connection.ts';
import { EngineError, type RequestContext } from '../errors.ts';
import { ImageContentError } from './imageContentError.ts';
import { imagePath } from './images.ts';
import { parseJson } from '../wire/parseJson.ts';
import { badAnswer } from '../http/readReply.ts';
import { readTar, type TarEntry } from '../archive/readTar.ts';

export interface ImageLayers {
  /** Lowest first. */
  readonly layers: readonly LayerNames[];
  /** Number of names skipped because they are too long or too deep for any file system. */
  readonly leftOut: number;
  /** If asked for: for each name, a text that differs if the contents, the permissions, or the link target do. */
  readonly marks?: readonly LayerMarks[];
}

/** In the order of {@link LayerNames}. */
type LayerMarks = readonly string[];

/** The entry names of one layer as written in the archive, with repeated slashes collapsed. */
export type LayerNames = readonly string[];

/** Limit on the names of all layers together: several times what large images have. */
const MOST_NAMES = 1_000_000;
/** Limit on the characters of all names: a small compressed layer can expand to names of several megabytes each. */
const MOST_CHARACTERS = 64 * 1024 * 1024;
/** Limit on the nesting of folders. */
const DEEPEST = 128;
/** Limit on the size of the manifest, in bytes. */
const MANIFEST_LIMIT = 1024 * 1024;

/**
 * Returns the names in each layer of an image, lowest first: `GET /images/{name}/get`. This transfers the whole
 * image; only the names are kept, and the marks if asked for.
 *
 * @throws EngineError `tooLarge` for more than a million names or 64 MiB of them; `badAnswer` for an archive that
 * lists no layers; ImageContentError if a layer is missing, or its compression is not supported.
 */
export async function readLayers(
  connection: Connection,
  image: string,
  signal?: AbortSignal,
  options: LayerOptions = {},
): Promise<ImageLayers> {
  const path = imagePath(image, 'get');
  const { body } = await connection.stream({ method: 'GET', path, signal });
  const where = { endpoint: connection.endpoint.url, operation: `GET ${path}` };
  const archive = new Archive(where, options);
  try {
    for await (const entry of readTar(body)) await archive.add(entry);
  } catch (cause) {
    if (signal?.aborted || cause instanceof EngineError || cause instanceof ImageContentError)
      throw cause;
    throw new EngineError('badAnswer', { operation: `GET ${path}`, cause });
  }
  const layers = archive.layers();
  if (!layers) throw badAnswer(connection, `GET ${path}`);
  return {
    layers: layers.map(({ names }) => names),
    leftOut: archive.leftOut,
    ...(options.hasMarks && { marks: layers.map(({ marks }) => marks) }),
  };
}

interface LayerOptions {
  readonly hasMarks?: boolean;
  /** Limit on the characters of all names, for tests. */
  readonly mostCharacters?: number;
  /** Makes the stream that decompresses Zstandard, if there is one; for tests. */
  readonly zstandard?: () => Transform | undefined;
}

interface Layer {
  readonly names: LayerNames;
  /** Empty if not asked for. */
  readonly marks: LayerMarks;
}

/** Collects what is needed from an archive while it streams by. Some engines send the manifest last. */
class Archive {
  /** Number of names skipped because no file system accepts them. */
  leftOut = 0;
  readonly #where: RequestContext;
  readonly #hasMarks: boolean;
  readonly #mostCharacters: number;
  readonly #zstandard: () => Transform | undefined;
  readonly #layers = new Map<string, Layer>();
  readonly #links = new Map<string, string>();
  /** The blobs that nothing here decompresses. */
  readonly #packed = new Set<string>();
  #manifest: readonly string[] | undefined;
  #count = 0;
  #characters = 0;

  constructor(where: RequestContext, options: LayerOptions) {
    this.#where = where;
    this.#hasMarks = options.hasMarks ?? false;
    this.#mostCharacters = options.mostCharacters ?? MOST_CHARACTERS;
    this.#zstandard = options.zstandard ?? zstandard;
  }

  async add(entry: TarEntry): Promise<void> {
    const { name, kind, linkTarget } = entry;
    this.#countName(name.length + linkTarget.length);
    if (kind === 'link') this.#links.set(name, posix.join(posix.dirname(name), linkTarget));
    else if (kind === 'hardLink') this.#links.set(name, posix.normalize(linkTarget));
    else if (name === 'manifest.json') this.#manifest = await readManifest(entry, this.#where);
    else if (kind === 'file' && /\.tar$|^blobs\//.test(name)) await this.#addLayer(entry);
  }

  /** Returns undefined if the manifest is missing. @throws ImageContentError, EngineError. */
  layers(): readonly Layer[] | undefined {
    const layers = this.#manifest?.map((written) => {
      const name = this.#links.get(written) ?? written;
      const isPacked = this.#packed.has(name);
      const layer = this.#layers.get(name);
      if (!layer) throw new ImageContentError(isPacked ? 'zstandard' : 'missingLayers');
      return layer;
    });
    if (!layers) return undefined;
    // A manifest can list the same layer any number of times.
    const count = layers.reduce((sum, { names }) => sum + names.length, 0);
    if (count > MOST_NAMES) throw new EngineError('tooLarge', this.#where);
    return layers;
  }

  async #addLayer({ name, contents }: TarEntry): Promise<void> {
    const bytes = await unpacked(contents, this.#zstandard);
    if (bytes === 'zstandard') this.#packed.add(name);
    if (typeof bytes !== 'object') return;
    const names: string[] = [];
    const marks: string[] = [];
    for await (const entry of readTar(bytes)) {
      this.#countName(entry.name.length);
      const kept = layerName(entry.name);
      if (kept === undefined) {
        this.leftOut += 1;
        continue;
      }
      names.push(kept);
      if (this.#hasMarks) marks.push(await markOf(entry));
    }
    this.#layers.set(name, { names, marks });
  }

  #countName(characters: number): void {
    this.#count += 1;
    this.#characters += characters;
    if (this.#count > MOST_NAMES || this.#characters > this.#mostCharacters)
      throw new EngineError('tooLarge', this.#where);
  }
}

/** Returns a name with repeated slashes collapsed, as engines unpack it; undefined if no file system accepts it. */
function layerName(written: string): string | undefined {
  const name = written.replace(/\/\/+/g, '/');
  if (name.length > PATH_LIMIT || name.split('/', DEEPEST + 1).length > DEEPEST) return undefined;
  return name;
}

async function markOf(entry: TarEntry): Promise<string> {
  const { kind, permissions, linkTarget, contents } = entry;
  const hash = createHash('sha256').update(`${kind} ${permissions} ${linkTarget}\0`);
  // The contents of a folder with a size, which only a malicious layer has, never end.
  if (kind === 'file') {
    for await (const piece of contents) hash.update(piece);
  }
  return hash.digest('base64');
}

async function readManifest(
  { size, contents }: TarEntry,
  where: RequestContext,
): Promise<readonly string[]> {
  if (size > MANIFEST_LIMIT) throw new EngineError('tooLarge', where);
  const pieces: Uint8Array[] = [];
  for await (const piece of contents) pieces.push(piece);
  const [image] = asList(parseJson(Buffer.concat(pieces).toString('utf8'), where));
  return asTexts(asRecord(image)['Layers']);
}

/** Returns the uncompressed tar stream of a layer; undefined for a JSON blob. */
async function unpacked(
  contents: AsyncIterable<Uint8Array>,
  zstandard: () => Transform | undefined,
): Promise<AsyncIterable<Uint8Array> | 'zstandard' | undefined> {
  const source = contents[Symbol.asyncIterator]();
  const head = await readHead(source);
  if (head.length === 0) return undefined;
  const whole = startingWith(head, source);
  const [one, two] = head;
  const isZstandard = one === 0x28 && two === 0xb5;
  const isGzip = one === 0x1f && two === 0x8b;
  const unpack = isGzip ? zlib.createGunzip() : isZstandard ? zstandard() : undefined;
  // Unlike `pipe`, `pipeline` passes errors of the source on to the reader of its output.
  if (unpack) return pipeline(Readable.from(whole), unpack, () => undefined);
  // 0x7b begins a JSON blob.
  if (!isZstandard && one !== 0x7b) return whole;
  // An unread entry would block all entries after it.
  await source.return?.();
  return isZstandard ? 'zstandard' : undefined;
}

/** Docker with the containerd image store sends layers as they were pulled. Node decompresses them since 22.15. */
function zstandard(): Transform | undefined {
  const { createZstdDecompress } = zlib as Partial<Pick<typeof zlib, 'createZstdDecompress'>>;
  return createZstdDecompress?.();
}

/** Reads at least two bytes, unless the source ends before: a piece may be as short as one. */
async function readHead(source: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  let head: Uint8Array = new Uint8Array();
  while (head.length < 2) {
    const next = await source.next();
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
  }
  return head;
}

async function* startingWith(
  first: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield first;
    for (let next = await rest.next(); next.done !== true; next = await rest.next())
      yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** Returns the layer digests of an image, lowest first: `RootFS` of `GET /images/{name}/json`. */
export function layerDigests(raw: unknown): readonly string[] {
  return asLines(asRecord(asRecord(raw)['RootFS'])['Layers']);
}
