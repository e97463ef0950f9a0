import type { Stamp } from './stampPacker.ts';

/** The bytes before the text. The first word is the serial number of the page's block. */
const HEADER = 16;
/** The bytes of one line's record. One more record at the very end has the serial number again. */
const RECORD = 16;
const RECORD_WORDS = RECORD / 4;
/** The most padding that an image needs to align the text to whole words. */
const PADDING = 3;

/**
 * Lines in one piece of memory, which may be shared with another thread or come from a file. Texts grow from the start,
 * each followed by a line feed, and records grow from the end, so that no space is wasted, whatever the length of
 * lines.
 *
 * A record has four words: the end of the text; seconds; nanoseconds; member, kind and the timestamp's format.
 */
export class Page {
  readonly memory: ArrayBufferLike;
  readonly bytes: Buffer;
  readonly #words: Uint32Array;
  readonly #encoder = new TextEncoder();
  #count: number;
  #textEnd: number;

  /** @param used what the memory already contains: the number of lines, and the end of their text. */
  constructor(memory: ArrayBufferLike, used = { count: 0, textEnd: HEADER }) {
    this.memory = memory;
    this.bytes = Buffer.from(memory);
    this.#words = new Uint32Array(memory);
    this.#count = used.count;
    this.#textEnd = used.textEnd;
  }

  get count(): number {
    return this.#count;
  }

  get textEnd(): number {
    return this.#textEnd;
  }

  /**
   * The serial number if the ones at the start and at the end are equal; else -1, because the page is only
   * partly written.
   */
  get serial(): number {
    const serial = this.#words[0] ?? -1;
    return serial === this.#words[this.#words.length - 1] ? serial : -1;
  }

  /** Clears the page for a new block. A concurrent reader notices by the serial number. */
  begin(serial: number): void {
    Atomics.store(this.#words, 0, serial);
    Atomics.store(this.#words, this.#words.length - 1, serial);
    this.#count = 0;
    this.#textEnd = HEADER;
  }

  /**
   * Adds the texts of the lines `from` to `to`, as many as fit.
   *
   * @returns the number of lines added. Each needs a record: see {@link setRecord}.
   */
  addTexts(lines: readonly { readonly text: string }[], from: number, to: number): number {
    let all = '';
    let index = from;
    let free = this.#free;
    for (; index < to; index++) {
      const { text } = lines[index] ?? { text: '' };
      free -= text.length + 1 + RECORD;
      if (free < 0) break;
      // One string for all lines is many times faster than one per line.
      all += text;
      all += '\n';
    }
    const room = this.bytes.subarray(this.#textEnd, this.#recordsStart(index - from));
    const { read, written } = this.#encoder.encodeInto(all, room);
    if (read !== all.length || written !== all.length) return this.#addEach(lines, from, index);
    for (let line = from; line < index; line++) this.#close((lines[line]?.text ?? '').length);
    return index - from;
  }

  /**
   * Writes the record of an added line.
   *
   * @param origin see {@link origin}.
   */
  setRecord(
    index: number,
    origin: number,
    seconds: number,
    nanoseconds: number,
    form: number,
  ): void {
    const at = this.#recordAt(index);
    this.#words[at + 1] = seconds;
    this.#words[at + 2] = nanoseconds;
    this.#words[at + 3] = origin | (form << 16);
  }

  /** Returns the packed timestamp of a line; see `StampPacker`. */
  stamp(index: number): Stamp {
    const at = this.#recordAt(index);
    return {
      seconds: this.#words[at + 1] ?? 0,
      nanoseconds: this.#words[at + 2] ?? 0,
      form: (this.#words[at + 3] ?? 0) >>> 16,
    };
  }

  /** Returns the member and kind of a line as one number; see `lineOrigin`. */
  origin(index: number): number {
    return (this.#words[this.#recordAt(index) + 3] ?? 0) & 0xffff;
  }

  /** Returns the position of the first byte of a line's text. */
  start(index: number): number {
    return index === 0 ? HEADER : (this.#words[this.#recordAt(index - 1)] ?? HEADER);
  }

  /** Returns the position after the last byte of a line's text. */
  end(index: number): number {
    return (this.#words[this.#recordAt(index)] ?? 1) - 1;
  }

  text(index: number): string {
    return this.bytes.toString('utf8', this.start(index), this.end(index));
  }

  /** Returns the index of the line whose text or line feed is at a position. */
  lineAt(position: number): number {
    let low = 0;
    let high = this.#count - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.end(middle) < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * Returns the page without the free space between texts and records, as two pieces which together are a valid page.
   */
  image(): readonly [Buffer, Buffer] {
    const textEnd = Math.ceil(this.#textEnd / 4) * 4;
    return [this.bytes.subarray(0, textEnd), this.bytes.subarray(this.#recordsStart(0))];
  }

  get #free(): number {
    return this.#recordsStart(0) - this.#textEnd - PADDING;
  }

  /** Returns where the records start if this many more are added. */
  #recordsStart(more: number): number {
    return this.bytes.length - RECORD * (this.#count + more + 1);
  }

  #recordAt(index: number): number {
    return this.#words.length - RECORD_WORDS * (index + 2);
  }

  /** For non-ASCII text, whose byte length is known only after encoding. */
  #addEach(lines: readonly { readonly text: string }[], from: number, to: number): number {
    for (let index = from; index < to; index++) {
      const { text } = lines[index] ?? { text: '' };
      const room = Math.max(0, this.#free - RECORD - 1);
      const start = this.#textEnd;
      const { read, written } = this.#encoder.encodeInto(
        text,
        this.bytes.subarray(start, start + room),
      );
      if (read < text.length || this.#free < RECORD + 1) return index - from;
      this.bytes[start + written] = 0x0a;
      this.#close(written);
    }
    return to - from;
  }

  #close(textBytes: number): void {
    this.#textEnd += textBytes + 1;
    this.#words[this.#recordAt(this.#count)] = this.#textEnd;
    this.#count += 1;
  }
}

/** Returns the size of a page that fits one line of so many bytes. */
export function pageSizeFor(textBytes: number): number {
  return Math.ceil((HEADER + textBytes + 1 + PADDING + 2 * RECORD) / 16) * 16;
}
