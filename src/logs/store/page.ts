import type { Stamp } from './stampPacker.ts';

/** Bytes in front of the text; the first word is the serial of the block whose page this is. */
const HEADER = 16;
/** Bytes of one line's record; one more stands at the very end, with the serial again. */
const RECORD = 16;
const RECORD_WORDS = RECORD / 4;
/** What an image needs at most to bring the text to whole words. */
const PADDING = 3;

/**
 * Lines in one piece of memory, which another thread may share, or a file hold: the texts grow from its start,
 * each with a line feed behind it, and the records from its end, so that none is wasted, however long lines are.
 *
 * A record is four words: where the text ends; seconds; nanoseconds; member, kind and the stamp's form.
 */
export class Page {
  readonly memory: ArrayBufferLike;
  readonly bytes: Buffer;
  readonly #words: Uint32Array;
  readonly #encoder = new TextEncoder();
  #count: number;
  #textEnd: number;

  /** @param used what is in the memory already: how many lines, and where their text ends. */
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

  /** The serial in front and the one at the end, where both are the same; else the page is half written: -1. */
  get serial(): number {
    const serial = this.#words[0] ?? -1;
    return serial === this.#words[this.#words.length - 1] ? serial : -1;
  }

  /** Empties the page for a new block. Who reads it meanwhile sees that by the serial. */
  begin(serial: number): void {
    Atomics.store(this.#words, 0, serial);
    Atomics.store(this.#words, this.#words.length - 1, serial);
    this.#count = 0;
    this.#textEnd = HEADER;
  }

  /**
   * Adds the texts of the lines `from` to `to`, as many as find room.
   *
   * @returns how many were added. Each needs its record: see {@link setRecord}.
   */
  addTexts(lines: readonly { readonly text: string }[], from: number, to: number): number {
    let [all, index, free] = ['', from, this.#free];
    for (; index < to; index++) {
      const { text } = lines[index] ?? { text: '' };
      free -= text.length + 1 + RECORD;
      if (free < 0) break;
      // One string of all is many times faster than one for each.
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
   * Says of a line that was added what there is besides its text.
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

  /** The parts of a line's stamp; see `StampPacker`. */
  stamp(index: number): Stamp {
    const at = this.#recordAt(index);
    return {
      seconds: this.#words[at + 1] ?? 0,
      nanoseconds: this.#words[at + 2] ?? 0,
      form: (this.#words[at + 3] ?? 0) >>> 16,
    };
  }

  /** Member and kind of a line as one number; see `originOf`. */
  origin(index: number): number {
    return (this.#words[this.#recordAt(index) + 3] ?? 0) & 0xffff;
  }

  /** Position of the first byte of a line's text. */
  start(index: number): number {
    return index === 0 ? HEADER : (this.#words[this.#recordAt(index - 1)] ?? HEADER);
  }

  /** Position behind the last byte of a line's text. */
  end(index: number): number {
    return (this.#words[this.#recordAt(index)] ?? 1) - 1;
  }

  text(index: number): string {
    return this.bytes.toString('utf8', this.start(index), this.end(index));
  }

  /** Index of the line in whose text, or line end, a position is. */
  lineAt(position: number): number {
    let [low, high] = [0, this.#count - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.end(middle) < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The page without the room between texts and records, as two pieces: a page of its own when put together. */
  image(): readonly [Buffer, Buffer] {
    const textEnd = Math.ceil(this.#textEnd / 4) * 4;
    return [this.bytes.subarray(0, textEnd), this.bytes.subarray(this.#recordsStart(0))];
  }

  get #free(): number {
    return this.#recordsStart(0) - this.#textEnd - PADDING;
  }

  /** Where the records start when so many more are there. */
  #recordsStart(more: number): number {
    return this.bytes.length - RECORD * (this.#count + more + 1);
  }

  #recordAt(index: number): number {
    return this.#words.length - RECORD_WORDS * (index + 2);
  }

  /** The way for text that is not ASCII: how long it gets is only known when it is written. */
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

/** Memory for a page in which one line of so many bytes finds room. */
export function pageSizeFor(textBytes: number): number {
  return Math.ceil((HEADER + textBytes + 1 + PADDING + 2 * RECORD) / 16) * 16;
}
