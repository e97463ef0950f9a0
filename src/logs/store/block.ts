import type { Page } from './page.ts';
import type { BlockLocation, SpillLocation } from './storeSnapshot.ts';

/** A run of lines that lie together, in memory or in the spill file. */
export class Block {
  readonly serial: number;
  readonly firstId: number;
  #page: Page | undefined;
  #image: SpillLocation | undefined;
  #spilled = { count: 0, textEnd: 0 };

  constructor(serial: number, firstId: number, page: Page) {
    this.serial = serial;
    this.firstId = firstId;
    this.#page = page;
  }

  /** Absent once it lies in the file. */
  get page(): Page | undefined {
    return this.#page;
  }

  get image(): SpillLocation | undefined {
    return this.#image;
  }

  get used(): { readonly count: number; readonly textEnd: number } {
    return this.#page ? { count: this.#page.count, textEnd: this.#page.textEnd } : this.#spilled;
  }

  get endId(): number {
    return this.firstId + (this.#page ?? this.#spilled).count;
  }

  /** From now on it lies in the file. */
  moveTo(image: SpillLocation): void {
    this.#spilled = this.used;
    this.#image = image;
    this.#page = undefined;
  }

  get location(): BlockLocation {
    const { serial, firstId } = this;
    return {
      serial,
      firstId,
      ...this.used,
      ...(this.#page && { memory: this.#page.memory as SharedArrayBuffer }),
      ...(this.#image && { image: this.#image }),
    };
  }
}

/** Index of the block with this id, or of the last that starts before it; 0 where none does. */
export function blockIndexOf(blocks: readonly { readonly firstId: number }[], id: number): number {
  let [low, high] = [0, blocks.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((blocks[middle]?.firstId ?? 0) <= id) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}
