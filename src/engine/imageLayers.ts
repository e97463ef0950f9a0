/** What the layers of an image have in them, by the archive that an engine saves it as. */

import { posix } from 'node:path';
import { createGunzip } from 'node:zlib';
import { pipeline, Readable } from 'node:stream';
import type { Connection } from './connection.ts';
import { EngineError } from './errors.ts';
import { imagePath } from './images.ts';
import { badAnswer } from './replies.ts';
import { readTar, type TarEntry } from './tarReader.ts';
import { asLines, asList, asRecord, asTexts } from './wire.ts';

/** The names of the entries of one layer, as whoever made it wrote them. */
export type LayerNames = readonly string[];

/** Names of all layers together: several times what large images have. */
const MOST_NAMES = 1_000_000;
/** Bytes of the list of layers. */
const MANIFEST_LIMIT = 1024 * 1024;

/**
 * The names in each layer of an image, the lowest first: `GET /images/{name}/get`. All of the image goes over the
 * wire for it, and nothing of it is kept but the names.
 *
 * @throws EngineError `tooLarge` past a million names; `badAnswer` for an archive that lists no layers, or whose
 * layers are packed in a way that is not known here.
 */
export async function readLayers(
  connection: Connection,
  image: string,
  signal?: AbortSignal,
): Promise<readonly LayerNames[]> {
  const path = imagePath(image, 'get');
  const { body } = await connection.stream({ method: 'GET', path, signal });
  const archive = new Archive();
  try {
    for await (const entry of readTar(body)) await archive.take(entry);
  } catch (cause) {
    if (signal?.aborted || cause instanceof EngineError) throw cause;
    throw new EngineError('badAnswer', { operation: `GET ${path}`, cause });
  }
  const layers = archive.layers();
  if (!layers) throw badAnswer(connection, `GET ${path}`);
  return layers;
}

/** What is kept of an archive while it goes by: its list of layers comes last with some engines. */
class Archive {
  readonly #names = new Map<string, LayerNames>();
  readonly #links = new Map<string, string>();
  #manifest: readonly string[] | undefined;
  #count = 0;

  async take(entry: TarEntry): Promise<void> {
    const { name, kind, linkTarget } = entry;
    if (kind === 'link') this.#links.set(name, posix.join(posix.dirname(name), linkTarget));
    else if (kind === 'hardLink') this.#links.set(name, posix.normalize(linkTarget));
    else if (name === 'manifest.json') this.#manifest = await readManifest(entry);
    else if (kind === 'file' && /\.tar$|^blobs\//.test(name)) await this.#takeLayer(entry);
  }

  /** Undefined where the list of layers is missing, or names one that is not there. */
  layers(): readonly LayerNames[] | undefined {
    const layers = this.#manifest?.map((name) => this.#names.get(this.#links.get(name) ?? name));
    return layers?.every((one) => one !== undefined) ? layers : undefined;
  }

  async #takeLayer({ name, contents }: TarEntry): Promise<void> {
    const bytes = await unpacked(contents);
    if (!bytes) return;
    const names: string[] = [];
    for await (const entry of readTar(bytes)) {
      this.#count += 1;
      if (this.#count > MOST_NAMES) throw new EngineError('tooLarge');
      names.push(entry.name);
    }
    this.#names.set(name, names);
  }
}

async function readManifest({ size, contents }: TarEntry): Promise<readonly string[]> {
  if (size > MANIFEST_LIMIT) throw new EngineError('tooLarge');
  const pieces: Uint8Array[] = [];
  for await (const piece of contents) pieces.push(piece);
  const [image] = asList(JSON.parse(Buffer.concat(pieces).toString('utf8')));
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
