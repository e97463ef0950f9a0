const START = 256;

/**
 * Buffer for incomplete data, in one contiguous block: if an engine sends one byte at a time, keeping the
 * received chunks would take a hundred times the memory.
 */
export class ByteStore {
  #bytes = Buffer.alloc(0);
  #size = 0;
  readonly #most: number;

  /** @param most expected maximum size in bytes. More memory is allocated only if more bytes arrive. */
  constructor(most = Infinity) {
    this.#most = most;
  }

  /** Number of stored bytes. */
  get size(): number {
    return this.#size;
  }

  /** Appends a copy, so that a large chunk is not kept in memory for a few bytes. */
  add(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const needed = this.#size + bytes.length;
    if (needed > this.#bytes.length) this.#grow(needed);
    this.#bytes.set(bytes, this.#size);
    this.#size = needed;
  }

  /** Returns the stored bytes without removing them. Valid until the next call of `add`. */
  look(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  /** Returns and removes the stored bytes. The caller owns the returned memory. */
  drain(): Buffer {
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
