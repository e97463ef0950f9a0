import { posix } from 'node:path';
import { EngineError, type RequestContext } from '../errors.ts';
import { parseJson } from '../parseJson.ts';
import { asList, asRecord, asText, asTexts } from '../wire.ts';

/** Limit on the manifest in bytes, and on the characters of all names: far more than any real archive has. */
const MOST = 64 * 1024 * 1024;
/** A manifest of an OCI layout, which has no list of layers by path. */
const INDEX = 'index.json';

/** Whether an archive of images has what its manifest lists. It streams by, and the manifest may be its last entry. */
export class ArchiveContents {
  readonly #where: RequestContext;
  readonly #names = new Set<string>();
  readonly #manifest: Uint8Array[] = [];
  #isManifest = false;
  #hasManifest = false;
  #size = 0;

  constructor(where: RequestContext) {
    this.#where = where;
  }

  /** Begins with the next entry. @throws EngineError `tooLarge`. */
  begin(name: string): void {
    const path = posix.normalize(name);
    this.#isManifest = path === 'manifest.json';
    this.#hasManifest ||= this.#isManifest;
    this.#count(path.length);
    this.#names.add(path);
  }

  /** Takes a piece of the contents of the entry. @throws EngineError `tooLarge`. */
  take(piece: Uint8Array): void {
    if (!this.#isManifest) return;
    this.#count(piece.length);
    this.#manifest.push(piece.slice());
  }

  /** Whether nothing is missing, now that all entries went by. @throws EngineError `badAnswer`. */
  get isComplete(): boolean {
    if (!this.#hasManifest) return this.#names.has(INDEX);
    const images = asList(parseJson(Buffer.concat(this.#manifest).toString('utf8'), this.#where));
    return images.map(asRecord).every((image) => {
      const files = [asText(image['Config']), ...asTexts(image['Layers'])];
      return files.every((file) => this.#names.has(posix.normalize(file)));
    });
  }

  #count(more: number): void {
    this.#size += more;
    if (this.#size > MOST) throw new EngineError('tooLarge', this.#where);
  }
}
