import { imageReader, type ReadImage } from '../commands/details/describeContainer.ts';
import type { Connection } from '../engine/http/connection.ts';

/** The last inspected image: an image does not change under its ID, so it is asked for once. */
export class ImageMemory {
  #id = '';
  #raw: unknown;

  /** Returns a reader that remembers what another one has found. */
  reader(connection: Connection, signal: AbortSignal): ReadImage {
    const read = imageReader(connection, signal);
    return async (id) => {
      if (id === this.#id && this.#raw !== undefined) return this.#raw;
      this.#raw = await read(id);
      this.#id = id;
      return this.#raw;
    };
  }
}
