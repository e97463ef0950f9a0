import { createHash } from 'node:crypto';
import { ChunkText } from '../wire/chunkText.ts';
import type { LineJoiner } from './lineJoiner.ts';
import type { LogLine, LogSource } from '../model.ts';

// Size of a memory block in bytes: of the first one, and of later ones, unless a single record needs more.
const SMALLEST = 16 * 1024;
const STANDARD = 256 * 1024;
/** Number of bytes that are decoded to text at once. */
const TEXT_BYTES = 64 * 1024;
/** 32-bit words per record in a block: its end, and its stamp length with the source. */
const WORDS = 2;
const ENTRY_BYTES = 4 * WORDS;
const NEWLINE = 0x0a;

/**
 * Log records in packed form: a log of a million lines would otherwise take several million objects. A record is
 * a line or a piece of one; its stamp is kept as the engine wrote it. Records are numbered from 0.
 */
export class PackedRecords {
  readonly #memory: RecordMemory;
  #pieces: Piece[] = [];
  #last: Piece | undefined;
  /** Of all records ever added: the number of the first one that is kept, and the number of the next one. */
  #first = 0;
  #end = 0;

  constructor(memory = new RecordMemory()) {
    this.#memory = memory;
  }

  get length(): number {
    return this.#end - this.#first;
  }

  /** Adds a record. Its text is bytes `start` to `end`, including the line feed if it ends a line. */
  add(source: LogSource, stamp: string, text: Buffer, start: number, end: number): void {
    const size = stamp.length + end - start;
    let piece = this.#pieces.at(-1);
    if (!piece?.hasRoom(size)) {
      // Most logs are short, so the first block is small.
      const least = piece ? SMALLEST + 1 : 0;
      piece = new Piece(this.#memory.allocate(Math.max(least, size + ENTRY_BYTES)), this.#end);
      this.#pieces.push(piece);
    }
    piece.add(source, stamp, text, start, end);
    this.#end++;
  }

  /** Drops the first `count` records. */
  drop(count: number): void {
    this.#first += count;
    const kept = this.#pieces.findIndex(({ end }) => end > this.#first);
    const gone = this.#pieces.splice(0, kept < 0 ? this.#pieces.length : kept);
    for (const { bytes } of gone) this.#memory.release(bytes);
    this.#last = undefined;
  }

  source(at: number): LogSource {
    return this.#pieceOf(at).source(this.#first + at);
  }

  stamp(at: number): string {
    const piece = this.#pieceOf(at);
    const number = this.#first + at;
    return piece.bytes.toString('latin1', piece.startOf(number), piece.textOf(number));
  }

  /** Size of the text in bytes. */
  size(at: number): number {
    const piece = this.#pieceOf(at);
    const number = this.#first + at;
    return piece.endOf(number) - piece.textOf(number);
  }

  endsLine(at: number): boolean {
    const piece = this.#pieceOf(at);
    return this.size(at) > 0 && piece.bytes[piece.endOf(this.#first + at) - 1] === NEWLINE;
  }

  /** Returns a text that identifies the record, for comparison with records of another request. */
  mark(at: number): string {
    const piece = this.#pieceOf(at);
    const number = this.#first + at;
    const text = piece.bytes.subarray(piece.textOf(number), piece.endOf(number));
    return recordMark(this.source(at), this.stamp(at), text);
  }

  /** Returns the complete lines of records `from` to `to` (exclusive). An incomplete last line stays in the joiner. */
  lines(joiner: LineJoiner, from: number, to: number): LogLine[] {
    const lines: LogLine[] = [];
    const end = this.#first + to;
    for (let number = this.#first + from; number < end;) {
      const piece = this.#pieceOf(number - this.#first);
      const base = piece.startOf(number);
      let stop = number + 1;
      const last = Math.min(end, piece.end);
      while (stop < last && piece.endOf(stop) - base <= TEXT_BYTES) stop++;
      const view = new ChunkText(piece.bytes.subarray(base, piece.endOf(stop - 1)));
      for (; number < stop; number++) {
        const text = piece.textOf(number) - base;
        const timestamp = view.ascii(piece.startOf(number) - base, text);
        const head = { source: piece.source(number), timestamp };
        joiner.piece(view, head, text, piece.endOf(number) - base, lines);
      }
    }
    return lines;
  }

  #pieceOf(at: number): Piece {
    const number = this.#first + at;
    if (this.#last && number >= this.#last.first && number < this.#last.end) return this.#last;
    let low = 0;
    let high = this.#pieces.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#pieces[middle]?.first ?? 0) <= number) low = middle;
      else high = middle - 1;
    }
    const piece = this.#pieces[low];
    if (!piece || at < 0 || number >= piece.end) throw new RangeError(`There is no record ${at}`);
    return (this.#last = piece);
  }
}

/** Pool of memory blocks. Leaving unused blocks to the garbage collector would take many times the memory. */
export class RecordMemory {
  readonly #spare: Buffer[] = [];

  /** Returns a block of at least so many bytes. */
  allocate(bytes: number): Buffer {
    const spare = bytes <= STANDARD && bytes > SMALLEST ? this.#spare.pop() : undefined;
    return spare ?? Buffer.allocUnsafeSlow(sizeFor(bytes));
  }

  release(memory: Buffer): void {
    if (memory.length === STANDARD) this.#spare.push(memory);
  }

  /** Frees the unused blocks. */
  clear(): void {
    this.#spare.length = 0;
  }
}

function sizeFor(bytes: number): number {
  if (bytes <= SMALLEST) return SMALLEST;
  return Math.max(STANDARD, Math.ceil(bytes / 4) * 4);
}

/** A block of records: stamps and texts from the start of the memory, the words of each record from its end. */
class Piece {
  readonly bytes: Buffer;
  /** Number of the first record. */
  readonly first: number;
  readonly #words: Uint32Array;
  #count = 0;
  #used = 0;

  constructor(bytes: Buffer, first: number) {
    this.bytes = bytes;
    this.first = first;
    this.#words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  }

  /** Number after the last record. */
  get end(): number {
    return this.first + this.#count;
  }

  hasRoom(bytes: number): boolean {
    return this.#used + bytes <= this.bytes.length - ENTRY_BYTES * (this.#count + 1);
  }

  add(source: LogSource, stamp: string, text: Buffer, start: number, end: number): void {
    const { bytes } = this;
    bytes.write(stamp, this.#used, 'latin1');
    text.copy(bytes, this.#used + stamp.length, start, end);
    this.#used += stamp.length + end - start;
    const entry = this.#entry(this.#count);
    this.#words[entry] = this.#used;
    this.#words[entry + 1] = 2 * stamp.length + (source === 'stderr' ? 1 : 0);
    this.#count++;
  }

  source(number: number): LogSource {
    return (this.#head(number) & 1) === 1 ? 'stderr' : 'stdout';
  }

  /** Start of the record's stamp. */
  startOf(number: number): number {
    const index = number - this.first;
    return index === 0 ? 0 : (this.#words[this.#entry(index - 1)] ?? 0);
  }

  /** Start of the record's text. */
  textOf(number: number): number {
    return this.startOf(number) + (this.#head(number) >> 1);
  }

  endOf(number: number): number {
    return this.#words[this.#entry(number - this.first)] ?? 0;
  }

  #head(number: number): number {
    return this.#words[this.#entry(number - this.first) + 1] ?? 0;
  }

  #entry(index: number): number {
    return this.#words.length - WORDS * (index + 1);
  }
}

/** Returns a text that identifies a record, for comparison with records of another request. */
export function recordMark(source: LogSource, stamp: string, text: Uint8Array): string {
  return `${source} ${stamp} ${createHash('sha1').update(text).digest('base64')}`;
}
