import { Buffer } from 'node:buffer';

const BLOCK = 512;
/** Where the fields of a header are. */
const SIZE = [124, 136] as const;
const CHECKSUM = [148, 156] as const;
const TYPE = 156;
/** Links, devices, folders and pipes: their size, where they have one, is not of bytes that follow. */
const WITHOUT_DATA = '123456';
/** A header of the kind whose data says more about the next entry than a header can. */
const EXTENDED = 'x';
/** Nobody says so much about one file. */
const EXTENDED_LIMIT = 1024 * 1024;
/** So much is kept of the end: an engine that fails appends its words there. */
const TAIL = 16 * 1024;

/**
 * Looks on while a tar archive goes by, and knows in the end whether it came whole. Keeps nothing of it but its last
 * few kilobytes, and costs little: only headers are looked at.
 */
export class TarValidator {
  /** The bytes of the header, or of its extension, that came so far. */
  #held = Buffer.alloc(0);
  /** Bytes to go until the next header. */
  #skip = 0;
  /** Bytes of an extension that are wanted, with their padding; 0 where none is read. */
  #extension = 0;
  /** What an extension said of the next entry's size. */
  #nextSize: number | undefined;
  #zeros = 0;
  #isSpoilt = false;
  #tail = Buffer.alloc(0);

  /** Looks at the next bytes. */
  push(chunk: Uint8Array): void {
    this.#keepTail(chunk);
    let at = 0;
    while (at < chunk.length && !this.#isSpoilt) {
      const skipped = Math.min(this.#skip, chunk.length - at);
      this.#skip -= skipped;
      at += skipped;
      if (at < chunk.length) at += this.#hold(chunk.subarray(at));
    }
  }

  /** How it ended, if this was all. */
  get end(): TarEnd {
    if (this.#isSpoilt) return 'spoilt';
    const isBetween = this.#skip === 0 && this.#held.length === 0 && this.#extension === 0;
    return isBetween && this.#zeros >= 2 ? 'whole' : 'cut';
  }

  /** The last few kilobytes as text: what an engine says there is plain to read. */
  get tail(): string {
    return this.#tail.toString('utf8');
  }

  /** Takes what is missing to a header or an extension. Returns how much. */
  #hold(bytes: Uint8Array): number {
    const wanted = this.#extension || BLOCK;
    const taken = bytes.subarray(0, wanted - this.#held.length);
    this.#held = Buffer.concat([this.#held, taken]);
    if (this.#held.length < wanted) return taken.length;
    const whole = this.#held;
    this.#held = Buffer.alloc(0);
    if (this.#extension > 0) this.#readExtension(whole);
    else this.#readHeader(whole);
    return taken.length;
  }

  #readHeader(header: Buffer): void {
    if (header.every((byte) => byte === 0)) {
      this.#zeros++;
      return;
    }
    const type = String.fromCharCode(header[TYPE] ?? 0);
    const size = this.#nextSize ?? numberIn(header.subarray(...SIZE));
    this.#isSpoilt = this.#zeros > 0 || !isHeader(header) || !Number.isSafeInteger(size);
    this.#nextSize = undefined;
    if (this.#isSpoilt || WITHOUT_DATA.includes(type)) return;
    const padded = Math.ceil(size / BLOCK) * BLOCK;
    if (type === EXTENDED && padded <= EXTENDED_LIMIT) this.#extension = padded;
    else this.#skip = padded;
  }

  #readExtension(bytes: Buffer): void {
    this.#extension = 0;
    const said = /(?:^|\n)\d+ size=(\d+)\n/.exec(bytes.toString('latin1'))?.[1];
    if (said !== undefined) this.#nextSize = Number(said);
  }

  #keepTail(chunk: Uint8Array): void {
    const last = chunk.subarray(-TAIL);
    const before = this.#tail.subarray(Math.max(0, this.#tail.length + last.length - TAIL));
    this.#tail = Buffer.concat([before, last]);
  }
}

/** How an archive ended: as archives do, in the middle, or with something that is no archive. */
export type TarEnd = 'whole' | 'cut' | 'spoilt';

/** By its sum, in which the sum's own field counts as blanks. */
function isHeader(header: Buffer): boolean {
  const [from, to] = CHECKSUM;
  let sum = 0;
  for (let at = 0; at < BLOCK; at++) sum += at >= from && at < to ? 0x20 : (header[at] ?? 0);
  return sum === numberIn(header.subarray(from, to));
}

/** A number of a header: octal digits, or, where these do not suffice, bytes after a mark. */
function numberIn(field: Buffer): number {
  if (((field[0] ?? 0) & 0x80) !== 0) {
    return field.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0);
  }
  const digits = /^[ \0]*([0-7]*)/.exec(field.toString('latin1'))?.[1] ?? '';
  return digits === '' ? 0 : Number.parseInt(digits, 8);
}
