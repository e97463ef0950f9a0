import { posix } from 'node:path';
import { EngineError, type RequestContext } from '../errors.ts';
import { parseJson, tryParseJson } from '../wire/parseJson.ts';
import { asList, asRecord, asText, asTexts } from '../wire/wire.ts';

/** Limit on the manifest in bytes, and on the characters of all names: far more than any real archive has. */
const MOST = 64 * 1024 * 1024;
/** A manifest of an OCI layout, which has no list of layers by path. */
const INDEX = 'index.json';
/** In bytes. Registries accept no larger one. */
const LARGEST_MANIFEST = 4 * 1024 * 1024;
const BRACE = 0x7b;

/** Whether an archive of images has what its manifest lists. It streams by, and the manifest may be its last entry. */
export class ArchiveContents {
  readonly #where: RequestContext;
  readonly #names = new Set<string>();
  readonly #manifest: Uint8Array[] = [];
  #isManifest = false;
  /** The JSON of the current blob so far, of which one in an OCI layout can be a manifest. */
  #blob: Uint8Array[] | undefined;
  /** What the manifests among the blobs list. */
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

  /** Takes a piece of the contents of the entry. @throws EngineError `tooLarge`. */
  take(piece: Uint8Array): void {
    this.#takeOfBlob(piece);
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
  #takeOfBlob(piece: Uint8Array): void {
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
