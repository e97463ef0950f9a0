import { Page, pageSizeFor } from './page.ts';

// The size of a page in bytes: of the first one, and the largest once there are many lines.
const SMALLEST = 64 * 1024;
const LARGEST = 1024 * 1024;
/** A page takes at most this fraction of the budget. */
const PARTS = 16;
/** Page sizes of groups are multiples of this many bytes, so that freed memory fits the next page. */
const STEP = 32 * 1024;
/** Number of freed pieces of memory that are kept for reuse. */
const MOST_SPARE = 2;

/**
 * Allocates and counts the memory of pages. Freed memory is reused: waiting for the garbage collector costs
 * more, and the collector does not know the size of memory shared by two threads.
 */
export class PageMemory {
  /** The size of a page in bytes once there are many lines. */
  readonly #standard: number;
  #bytes = 0;
  /** Ordered by when they were freed, the most recent last. */
  #spares: SharedArrayBuffer[] = [];

  constructor(budgetBytes: number) {
    const part = 2 ** Math.floor(Math.log2(budgetBytes / PARTS + 1));
    this.#standard = Math.min(LARGEST, Math.max(SMALLEST, part));
  }

  /** The bytes in use by pages. */
  get used(): number {
    return this.#bytes;
  }

  /** The bytes in use and kept for reuse. */
  get bytes(): number {
    return this.#spares.reduce((sum, { byteLength }) => sum + byteLength, this.#bytes);
  }

  /** Returns the size of the next page when appending, which grows with the memory in use. */
  sizeFor(textBytes: number): number {
    const size = Math.min(
      this.#standard,
      Math.max(SMALLEST, 2 ** Math.ceil(Math.log2(this.#bytes + 1))),
    );
    return Math.max(size, pageSizeFor(textBytes));
  }

  /** Returns the size of a page for a group of lines, one of which has `textBytes` bytes. */
  sizeForGroup(allBytes: number, textBytes: number): number {
    const whole = Math.ceil(pageSizeFor(allBytes) / STEP) * STEP;
    return Math.max(Math.min(whole, this.#standard), pageSizeFor(textBytes));
  }

  /**
   * Returns an empty page.
   *
   * @param size its minimum size.
   */
  allocate(size: number, serial: number): Page {
    const memory = this.#reuseSpare(size) ?? new SharedArrayBuffer(size);
    this.#bytes += memory.byteLength;
    const page = new Page(memory);
    page.begin(serial);
    return page;
  }

  release({ memory }: Page): void {
    this.#bytes -= memory.byteLength;
    if (memory.byteLength > this.#standard) return;
    this.#spares.push(memory as SharedArrayBuffer);
    if (this.#spares.length > MOST_SPARE) this.#spares.shift();
  }

  clear(): void {
    this.#bytes = 0;
    this.#spares = [];
  }

  /** Returns a kept piece of at least this size and at most a quarter more. */
  #reuseSpare(size: number): SharedArrayBuffer | undefined {
    const fits = ({ byteLength }: SharedArrayBuffer): boolean =>
      byteLength >= size && byteLength <= size * 1.25;
    const index = this.#spares.findLastIndex(fits);
    return index < 0 ? undefined : this.#spares.splice(index, 1)[0];
  }
}
