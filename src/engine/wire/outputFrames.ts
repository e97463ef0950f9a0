import { EngineError } from '../errors.ts';
import type { LogSource } from '../model.ts';

/**
 * Splits the frames of a live output: each has a header of eight bytes (source, three zeros, length) and a
 * payload. An incomplete payload is passed on immediately, because the user may be waiting at a prompt.
 */
export class OutputFrames {
  readonly #header = Buffer.alloc(HEADER);
  #headerLength = 0;
  /** The remaining bytes of the current payload. */
  #left = 0;

  /**
   * Returns the pieces in a chunk, in order. They are views of the chunk, not copies.
   *
   * @throws EngineError `badAnswer` if a header is invalid.
   */
  push(chunk: Uint8Array): readonly OutputPiece[] {
    const pieces: OutputPiece[] = [];
    let at = 0;
    while (at < chunk.length) {
      if (this.#left === 0) at += this.#readHeader(chunk, at);
      const end = Math.min(chunk.length, at + this.#left);
      if (end > at) pieces.push({ source: this.#source, bytes: chunk.subarray(at, end) });
      this.#left -= end - at;
      at = end;
    }
    return pieces;
  }

  get #source(): LogSource {
    return this.#header[0] === STDERR ? 'stderr' : 'stdout';
  }

  /** Returns how many bytes of the chunk belong to the header. */
  #readHeader(chunk: Uint8Array, at: number): number {
    const part = chunk.subarray(at, at + HEADER - this.#headerLength);
    this.#header.set(part, this.#headerLength);
    this.#headerLength += part.length;
    if (this.#headerLength < HEADER) return part.length;
    this.#headerLength = 0;
    const kind = this.#header.readUInt32BE(0);
    // The source, and three zero bytes.
    if ((kind & 0xffffff) !== 0 || kind >>> 24 > STDERR + 1) throw new EngineError('badAnswer');
    this.#left = this.#header.readUInt32BE(4);
    return part.length;
  }
}

/** A piece of the output of a process without a TTY. */
interface OutputPiece {
  readonly source: LogSource;
  readonly bytes: Uint8Array;
}

const HEADER = 8;
const STDERR = 2;
