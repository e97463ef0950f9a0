import { Page, pageSizeFor } from './page.ts';

/** Bytes of a page: of the first, and at most of all once there are many lines. */
const [SMALLEST, LARGEST] = [64 * 1024, 1024 * 1024];
/** A page takes no more of the budget than one part in so many. */
const PARTS = 16;

/** Gives out memory for pages and counts it. What comes back is used again: to wait for the collector costs more. */
export class PageMemory {
  /** Bytes of a page once there are many lines. */
  readonly #standard: number;
  #bytes = 0;
  #spare: SharedArrayBuffer | undefined;

  constructor(budgetBytes: number) {
    const part = 2 ** Math.floor(Math.log2(budgetBytes / PARTS + 1));
    this.#standard = Math.min(LARGEST, Math.max(SMALLEST, part));
  }

  /** In use by pages. */
  get used(): number {
    return this.#bytes;
  }

  /** All that is held. */
  get bytes(): number {
    return this.#bytes + (this.#spare?.byteLength ?? 0);
  }

  /** Bytes for a page to go on with behind others: the more there are, the larger. */
  sizeFor(textBytes: number): number {
    const size = Math.min(
      this.#standard,
      Math.max(SMALLEST, 2 ** Math.ceil(Math.log2(this.#bytes + 1))),
    );
    return Math.max(size, pageSizeFor(textBytes));
  }

  /** Bytes for a page of a group of lines, of which one has so many bytes. */
  sizeForGroup(allBytes: number, textBytes: number): number {
    return Math.max(Math.min(pageSizeFor(allBytes), this.#standard), pageSizeFor(textBytes));
  }

  /** An empty page. */
  take(size: number, serial: number): Page {
    const memory = this.#spare?.byteLength === size ? this.#spare : new SharedArrayBuffer(size);
    if (memory === this.#spare) this.#spare = undefined;
    this.#bytes += size;
    const page = new Page(memory);
    page.begin(serial);
    return page;
  }

  give({ memory }: Page): void {
    this.#bytes -= memory.byteLength;
    if (memory.byteLength === this.#standard) this.#spare = memory as SharedArrayBuffer;
  }

  clear(): void {
    this.#bytes = 0;
    this.#spare = undefined;
  }
}
