/** What the layers of an image have in them, by the archive that an engine saves it as. */

import { posix } from 'node:path';
import { createGunzip } from 'node:zlib';
import { pipeline, Readable } from 'node:stream';
import { PATH_LIMIT } from '../containers/listChanges.ts';
import type { Connection } from '../http/connection.ts';
import { EngineError, type RequestContext } from '../errors.ts';
import { imagePath } from './images.ts';
import { parseJson } from '../parseJson.ts';
import { badAnswer } from '../http/readReply.ts';
import { readTar, type TarEntry } from '../archive/readTar.ts';
import { asLines, asList, asRecord, asTexts } from '../wire.ts';

/** What is in the layers of an image. */
export interface ImageLayers {
  /** The lowest first. */
  readonly layers: readonly LayerNames[];
  /** How many names no file system takes: they are too long, or too deep. */
  readonly leftOut: number;
}

/** The names of the entries of one layer, as whoever made it wrote them, but each slash once. */
export type LayerNames = readonly string[];

/** Names of all layers together: several times what large images have. */
const MOST_NAMES = 1_000_000;
/** Characters of them: a small layer unpacks to names of megabytes each. */
const MOST_CHARACTERS = 64 * 1024 * 1024;
/** Folders in folders. */
const DEEPEST = 128;
/** Bytes of the list of layers. */
const MANIFEST_LIMIT = 1024 * 1024;

/**
 * The names in each layer of an image, the lowest first: `GET /images/{name}/get`. All of the image goes over the
 * wire for it, and nothing of it is kept but the names.
 *
 * @throws EngineError `tooLarge` past a million names or 64 MiB of them; `badAnswer` for an archive that lists no
 * layers, or whose layers are packed in a way that is not known here.
 */
export async function readLayers(
  connection: Connection,
  image: string,
  signal?: AbortSignal,
): Promise<ImageLayers> {
  const path = imagePath(image, 'get');
  const { body } = await connection.stream({ method: 'GET', path, signal });
  const archive = new Archive({ endpoint: connection.endpoint.url, operation: `GET ${path}` });
  try {
    for await (const entry of readTar(body)) await archive.take(entry);
  } catch (cause) {
    if (signal?.aborted || cause instanceof EngineError) throw cause;
    throw new EngineError('badAnswer', { operation: `GET ${path}`, cause });
  }
  const layers = archive.layers();
  if (!layers) throw badAnswer(connection, `GET ${path}`);
  return { layers, leftOut: archive.leftOut };
}

/** What is kept of an archive while it goes by: its list of layers comes last with some engines. */
class Archive {
  readonly #where: RequestContext;
  readonly #names = new Map<string, LayerNames>();
  readonly #links = new Map<string, string>();
  #manifest: readonly string[] | undefined;
  #count = 0;
  #characters = 0;
  #leftOut = 0;

  constructor(where: RequestContext) {
    this.#where = where;
  }

  get leftOut(): number {
    return this.#leftOut;
  }

  async take(entry: TarEntry): Promise<void> {
    const { name, kind, linkTarget } = entry;
    this.#countName(name.length + linkTarget.length);
    if (kind === 'link') this.#links.set(name, posix.join(posix.dirname(name), linkTarget));
    else if (kind === 'hardLink') this.#links.set(name, posix.normalize(linkTarget));
    else if (name === 'manifest.json') this.#manifest = await readManifest(entry, this.#where);
    else if (kind === 'file' && /\.tar$|^blobs\//.test(name)) await this.#takeLayer(entry);
  }

  /** Undefined where the list of layers is missing, or names one that is not there. */
  layers(): readonly LayerNames[] | undefined {
    const layers = this.#manifest?.map((name) => this.#names.get(this.#links.get(name) ?? name));
    if (!layers?.every((one) => one !== undefined)) return undefined;
    // The same layer may be listed again and again.
    const count = layers.reduce((sum, { length }) => sum + length, 0);
    if (count > MOST_NAMES) throw new EngineError('tooLarge', this.#where);
    return layers;
  }

  async #takeLayer({ name, contents }: TarEntry): Promise<void> {
    const bytes = await unpacked(contents);
    if (!bytes) return;
    const names: string[] = [];
    for await (const entry of readTar(bytes)) {
      this.#countName(entry.name.length);
      const kept = layerName(entry.name);
      if (kept === undefined) this.#leftOut += 1;
      else names.push(kept);
    }
    this.#names.set(name, names);
  }

  #countName(characters: number): void {
    this.#count += 1;
    this.#characters += characters;
    if (this.#count > MOST_NAMES || this.#characters > MOST_CHARACTERS)
      throw new EngineError('tooLarge', this.#where);
  }
}

/** A name with each slash once, as engines unpack it; undefined for one that no file system takes. */
function layerName(written: string): string | undefined {
  const name = written.replace(/\/\/+/g, '/');
  if (name.length > PATH_LIMIT || name.split('/', DEEPEST + 1).length > DEEPEST) return undefined;
  return name;
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

/** A layer's tar, unpacked; undefined for what is a description, or packed in a way not known here. */
async function unpacked(
  contents: AsyncIterable<Uint8Array>,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  const source = contents[Symbol.asyncIterator]();
  const first = await source.next();
  if (first.done === true) return undefined;
  const whole = startingWith(first.value, source);
  const [one, two] = first.value;
  if (one === 0x1f && two === 0x8b) {
    // What goes wrong with the bytes is told to who reads what comes out, which `pipe` would not do.
    return pipeline(Readable.from(whole), createGunzip(), () => undefined);
  }
  // A description in JSON, or Zstandard.
  const isTar = one !== 0x7b && !(one === 0x28 && two === 0xb5);
  if (isTar) return whole;
  // What nobody reads would hold up all that comes after it.
  await source.return?.();
  return undefined;
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

/** The layers of an image by their digests, the lowest first: `RootFS` of `GET /images/{name}/json`. */
export function layerDigests(raw: unknown): readonly string[] {
  return asLines(asRecord(asRecord(raw)['RootFS'])['Layers']);
}
