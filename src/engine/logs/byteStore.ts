const START = 256;

/**
 * Bytes that wait for more of their kind, in one piece of memory: kept as the chunks they came in, an engine that
 * sends one byte at a time would take a hundred times their size.
 */
export class ByteStore {
  #bytes = Buffer.alloc(0);
  #size = 0;
  readonly #most: number;

  /** @param most how many are expected at most: no memory is taken beyond, unless more come. */
  constructor(most = Infinity) {
    this.#most = most;
  }

  /** How many there are. */
  get size(): number {
    return this.#size;
  }

  /** Adds a copy: a chunk must not stay in memory for the few bytes that wait. */
  add(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const needed = this.#size + bytes.length;
    if (needed > this.#bytes.length) this.#grow(needed);
    this.#bytes.set(bytes, this.#size);
    this.#size = needed;
  }

  /** What there is, which stays. Good until the next call of `add`. */
  look(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  /** What there is; it is empty afterwards, and the memory the caller's. */
  take(): Buffer {
    const bytes = this.look();
    this.#bytes = Buffer.alloc(0);
    this.#size = 0;
    return bytes;
  }

  #grow(needed: number): void {
    const grown = Buffer.allocUnsafe(
      Math.max(needed, Math.min(this.#most, Math.max(START, this.#bytes.length * 2))),
    );
    grown.set(this.look());
    this.#bytes = grown;
  }
}
