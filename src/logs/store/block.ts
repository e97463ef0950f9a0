import { firstIndex } from '../../base/firstIndex.ts';
import type { Page } from './page.ts';
import type { BlockLocation, SpillLocation } from './storeSnapshot.ts';

/** A run of consecutive lines, in memory or in the spill file. */
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

  /** Undefined once it is in the file. */
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

  /** Records that the block is in the file now. */
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
      memory: this.#page?.memory as SharedArrayBuffer | undefined,
      image: this.#image,
    };
  }
}

/** Returns the index of the block with this ID, or of the last block that starts before it; 0 if there is none. */
export function blockIndexOf(blocks: readonly { readonly firstId: number }[], id: number): number {
  return Math.max(0, firstIndex(0, blocks.length, (at) => (blocks[at]?.firstId ?? 0) > id) - 1);
}
