import { isAscii } from 'node:buffer';

const NEWLINE = 0x0a;

/**
 * The bytes of one chunk, with access to their text by byte position.
 *
 * Decoding each of thousands of short lines separately costs more than everything else together. So the whole
 * chunk is decoded to one Latin-1 string, in which character positions are byte positions, and lines are
 * substrings of it. Only a line with non-ASCII bytes is decoded again, as UTF-8.
 */
export class ChunkText {
  readonly bytes: Buffer;
  /** Decoded at the first access: records that are only stored need no text. */
  #latin1: string | undefined;
  readonly #pastAscii = /[\x80-\xff]/g;
  /** Position of the first non-ASCII byte at or after the last line that was read. */
  #nextHigh = -1;
  /** Position of the first `Z ` at or after `#zuluFrom`; the length of the chunk if there is none. */
  #zulu = -1;
  #zuluFrom = 0;

  constructor(chunk: Uint8Array) {
    this.bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
  }

  /** Returns the bytes from `start` to `end` as UTF-8. Calls must be in ascending order. */
  text(start: number, end: number): string {
    const all = this.#all;
    if (this.#nextHigh < start) this.#seekHigh(start);
    if (this.#nextHigh >= end) return all.substring(start, end);
    return this.bytes.toString('utf8', start, end);
  }

  /** Returns bytes that are known to be ASCII. */
  ascii(start: number, end: number): string {
    return this.#latin1?.substring(start, end) ?? this.bytes.toString('latin1', start, end);
  }

  /** Returns the position of the first line feed at or after `start` and before `end`; -1 if there is none. */
  newline(start: number, end: number): number {
    // A frame nearly always ends with its only line feed. If not, do not search beyond its end.
    if (this.bytes[end - 1] !== NEWLINE) {
      const at = this.bytes.subarray(start, end).indexOf(NEWLINE);
      return at < 0 ? -1 : start + at;
    }
    return this.#all.indexOf('\n', start);
  }

  /** Returns the position of the first line feed at or after `start`; -1 if there is none. */
  nextNewline(start: number): number {
    return this.#all.indexOf('\n', start);
  }

  /** Returns the position of the first `Z ` at or after `start`; the length of the chunk if there is none. */
  nextZulu(start: number): number {
    if (start >= this.#zuluFrom && start <= this.#zulu) return this.#zulu;
    const next = this.#all.indexOf('Z ', start);
    this.#zuluFrom = start;
    this.#zulu = next < 0 ? this.bytes.length : next;
    return this.#zulu;
  }

  get #all(): string {
    if (this.#latin1 === undefined) {
      this.#latin1 = this.bytes.toString('latin1');
      if (isAscii(this.bytes)) this.#nextHigh = this.bytes.length;
    }
    return this.#latin1;
  }

  #seekHigh(start: number): void {
    this.#pastAscii.lastIndex = start;
    this.#nextHigh = this.#pastAscii.exec(this.#all)?.index ?? this.bytes.length;
  }
}
