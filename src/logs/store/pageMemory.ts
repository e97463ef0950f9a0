import { Page, pageSizeFor } from './page.ts';

/** Bytes of a page: of the first, and at most of all once there are many lines. */
const [SMALLEST, LARGEST] = [64 * 1024, 1024 * 1024];
/** A page takes no more of the budget than one part in so many. */
const PARTS = 16;
/** Pages of groups are whole multiples of so many bytes, so that one's memory does for the next. */
const STEP = 32 * 1024;
/** So many pieces of memory are kept for others. */
const MOST_SPARE = 2;

/**
 * Gives out memory for pages and counts it. What comes back is used again: to wait for the collector costs more, and it
 * does not even know how much memory it is that two threads share.
 */
export class PageMemory {
  /** Bytes of a page once there are many lines. */
  readonly #standard: number;
  #bytes = 0;
  /** The one that came back last is the last. */
  #spares: SharedArrayBuffer[] = [];

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
    return this.#spares.reduce((sum, { byteLength }) => sum + byteLength, this.#bytes);
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
    const whole = Math.ceil(pageSizeFor(allBytes) / STEP) * STEP;
    return Math.max(Math.min(whole, this.#standard), pageSizeFor(textBytes));
  }

  /** An empty page. @param size what it holds at least. */
  take(size: number, serial: number): Page {
    const memory = this.#takeSpare(size) ?? new SharedArrayBuffer(size);
    this.#bytes += memory.byteLength;
    const page = new Page(memory);
    page.begin(serial);
    return page;
  }

  give({ memory }: Page): void {
    this.#bytes -= memory.byteLength;
    if (memory.byteLength > this.#standard) return;
    this.#spares.push(memory as SharedArrayBuffer);
    if (this.#spares.length > MOST_SPARE) this.#spares.shift();
  }

  clear(): void {
    this.#bytes = 0;
    this.#spares = [];
  }

  /** One of so many bytes, or a little more. */
  #takeSpare(size: number): SharedArrayBuffer | undefined {
    const fits = ({ byteLength }: SharedArrayBuffer): boolean =>
      byteLength >= size && byteLength <= size * 1.25;
    const index = this.#spares.findLastIndex(fits);
    return index < 0 ? undefined : this.#spares.splice(index, 1)[0];
  }
}
