import { EngineError } from './errors.ts';
import type { LogSource } from './model.ts';

/**
 * Takes the frames of a live output apart: a header of eight bytes (source, three zeros, length) and a payload, again
 * and again. What has come of a payload is handed on at once, for a person may be waiting at a prompt.
 */
export class OutputFrames {
  readonly #header = Buffer.alloc(HEADER);
  #headerLength = 0;
  /** Bytes of the frame's payload that have not come. */
  #left = 0;

  /**
   * The pieces in a chunk, in order. They are parts of the chunk, not copies.
   *
   * @throws EngineError `badAnswer` for what is no header.
   */
  push(chunk: Uint8Array): readonly OutputPiece[] {
    const pieces: OutputPiece[] = [];
    let at = 0;
    while (at < chunk.length) {
      if (this.#left === 0) at += this.#takeHeader(chunk, at);
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

  /** How many bytes of the chunk belong to the header. */
  #takeHeader(chunk: Uint8Array, at: number): number {
    const part = chunk.subarray(at, at + HEADER - this.#headerLength);
    this.#header.set(part, this.#headerLength);
    this.#headerLength += part.length;
    if (this.#headerLength < HEADER) return part.length;
    this.#headerLength = 0;
    const kind = this.#header.readUInt32BE(0);
    // A kind, and three bytes that are zero.
    if ((kind & 0xffffff) !== 0 || kind >>> 24 > STDERR + 1) throw new EngineError('badAnswer');
    this.#left = this.#header.readUInt32BE(4);
    return part.length;
  }
}

/** A piece of what a program without a terminal wrote. */
export interface OutputPiece {
  readonly source: LogSource;
  readonly bytes: Uint8Array;
}

const HEADER = 8;
const STDERR = 2;
