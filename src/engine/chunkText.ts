import { isAscii } from 'node:buffer';

const NEWLINE = 0x0a;

/**
 * The bytes of one chunk, and their text at byte positions.
 *
 * Decoding each of thousands of short lines by itself costs more than everything else together. So the whole
 * chunk becomes one Latin-1 string, in which character positions are byte positions, and lines are cut out
 * of it. Only a line that holds a byte past ASCII is decoded anew, as UTF-8.
 */
export class ChunkText {
  readonly bytes: Buffer;
  /** Made when the first text is asked for: of records that are only kept there is none. */
  #latin1: string | undefined;
  readonly #pastAscii = /[\x80-\xff]/g;
  /** Position of the first byte past ASCII at or after the last line that was asked for. */
  #nextHigh = -1;
  /** The first `Z ` at or after a position; the chunk's length where there is none. */
  #zulu = -1;
  #zuluFrom = 0;

  constructor(chunk: Uint8Array) {
    this.bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
  }

  /** Bytes `start` to `end` as UTF-8. Asking in rising order is what makes it fast. */
  text(start: number, end: number): string {
    const all = this.#all;
    if (this.#nextHigh < start) this.#seekHigh(start);
    if (this.#nextHigh >= end) return all.substring(start, end);
    return this.bytes.toString('utf8', start, end);
  }

  /** Bytes known to be ASCII. */
  ascii(start: number, end: number): string {
    return this.#latin1?.substring(start, end) ?? this.bytes.toString('latin1', start, end);
  }

  /** Position of the first line feed at or after `start`, before `end`; -1 where there is none. */
  newline(start: number, end: number): number {
    // Frames nearly always end with their only line feed; without one here the search would run on and on.
    if (this.bytes[end - 1] !== NEWLINE) {
      const at = this.bytes.subarray(start, end).indexOf(NEWLINE);
      return at < 0 ? -1 : start + at;
    }
    return this.#all.indexOf('\n', start);
  }

  /** Position of the first line feed at or after `start`, wherever that is; -1 where there is none. */
  nextNewline(start: number): number {
    return this.#all.indexOf('\n', start);
  }

  /** Position of the first `Z ` at or after `start`, wherever that is; the chunk's length where there is none. */
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
