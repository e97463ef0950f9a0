import { Buffer } from 'node:buffer';

const BLOCK = 512;
/** The byte ranges of the header fields. */
const NAME = [0, 100] as const;
const MODE = [100, 108] as const;
const UID = [108, 116] as const;
const GID = [116, 124] as const;
const MODIFIED = [136, 148] as const;
const PREFIX = [345, 500] as const;
const SIZE = [124, 136] as const;
const CHECKSUM = [148, 156] as const;
const TYPE = 156;
/** Types of links, devices, folders and named pipes: no data follows them, even if the header has a size. */
const WITHOUT_DATA = '123456';
/** The type of a pax header: its data holds fields of the next entry that do not fit into a regular header. */
const EXTENDED = 'x';
/** The type of a header whose data is the name of the next entry, as GNU tar writes it. */
const LONG_NAME = 'L';
/** Types of headers that only describe the next entry. */
const EXTENSIONS = 'xgLK';
/** The maximum size of a pax header or long name that is read, in bytes. */
const EXTENDED_LIMIT = 1024 * 1024;
/** How many bytes are kept of the end, because an engine that fails appends its error message there. */
const TAIL = 16 * 1024;

/**
 * Checks a tar archive as it streams by and reports whether it was complete. Cheap: only headers are parsed,
 * and only the last 16 KiB are kept.
 */
export class TarValidator {
  /** The bytes received so far of the current header, pax header, or long name. */
  #held = Buffer.alloc(0);
  /** How many bytes to skip until the next header. */
  #skip = 0;
  /** The size of the pax header or long name being read, with padding; 0 if none is read. */
  #extension = 0;
  #extensionType = '';
  /** The size of the next entry as given by a pax header. */
  #nextSize: number | undefined;
  #zeros = 0;
  #isSpoilt = false;
  #tail = Buffer.alloc(0);
  /** The name of the next entry as given by a pax header. */
  #nextName: string | undefined;
  /** The long name of the next entry. Engines prefer it to that of a pax header. */
  #longName: string | undefined;
  readonly #onEntry: ((entry: TarHeader) => void) | undefined;

  /** @param onEntry called with the header of each entry. */
  constructor(onEntry?: (entry: TarHeader) => void) {
    this.#onEntry = onEntry;
  }

  /** Checks the next bytes. */
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

  /** How the archive ended, assuming that no more bytes follow. */
  get end(): TarEnd {
    if (this.#isSpoilt) return 'spoilt';
    const isBetween = this.#skip === 0 && this.#held.length === 0 && this.#extension === 0;
    return isBetween && this.#zeros >= 2 ? 'whole' : 'cut';
  }

  /** The last 16 KiB as text, where an engine appends its error message. */
  get tail(): string {
    return this.#tail.toString('utf8');
  }

  /** Collects the bytes of a header, pax header, or long name. Returns how many bytes were taken. */
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
    if (!this.#isSpoilt && !EXTENSIONS.includes(type)) this.#report(header, type, size);
    this.#nextSize = undefined;
    if (this.#isSpoilt || WITHOUT_DATA.includes(type)) return;
    const padded = Math.ceil(size / BLOCK) * BLOCK;
    const isRead = (type === EXTENDED || type === LONG_NAME) && padded <= EXTENDED_LIMIT;
    [this.#extension, this.#extensionType] = isRead ? [padded, type] : [0, ''];
    if (!isRead) this.#skip = padded;
  }

  #report(header: Buffer, type: string, size: number): void {
    const text = (range: readonly [number, number]): string =>
      header
        .subarray(...range)
        .toString('utf8')
        .split('\0', 1)[0] ?? '';
    const [name, prefix] = [
      text(NAME),
      header.toString('latin1', 257, 262) === 'ustar' ? text(PREFIX) : '',
    ];
    this.#onEntry?.({
      name: this.#longName ?? this.#nextName ?? (prefix === '' ? name : `${prefix}/${name}`),
      size: WITHOUT_DATA.includes(type) ? 0 : size,
      mode: numberIn(header.subarray(...MODE)) & 0o7777,
      uid: numberIn(header.subarray(...UID)),
      gid: numberIn(header.subarray(...GID)),
      modifiedAt: numberIn(header.subarray(...MODIFIED)) * 1000,
    });
    this.#nextName = undefined;
    this.#longName = undefined;
  }

  #readExtension(bytes: Buffer): void {
    this.#extension = 0;
    if (this.#extensionType === LONG_NAME) {
      this.#longName = bytes.toString('utf8').split('\0', 1)[0];
      return;
    }
    const name = /(?:^|\n)\d+ path=([^\n]*)\n/.exec(bytes.toString('utf8'))?.[1];
    if (name !== undefined) this.#nextName = name;
    const size = /(?:^|\n)\d+ size=(\d+)\n/.exec(bytes.toString('latin1'))?.[1];
    if (size !== undefined) this.#nextSize = Number(size);
  }

  #keepTail(chunk: Uint8Array): void {
    const last = chunk.subarray(-TAIL);
    const before = this.#tail.subarray(Math.max(0, this.#tail.length + last.length - TAIL));
    this.#tail = Buffer.concat([before, last]);
  }
}

/** The header of an entry. Its name is as the author of the tar wrote it. */
export interface TarHeader {
  readonly name: string;
  /** Size of the contents in bytes. */
  readonly size: number;
  /** The permission bits with setuid, setgid and the sticky bit. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Milliseconds since 1970. */
  readonly modifiedAt: number;
}

/** How an archive ended: complete (`whole`), too early (`cut`), or with bytes that are not a tar (`spoilt`). */
export type TarEnd = 'whole' | 'cut' | 'spoilt';

/** Verifies the checksum of a header. The checksum field itself counts as spaces. */
function isHeader(header: Buffer): boolean {
  const [from, to] = CHECKSUM;
  let sum = 0;
  for (let at = 0; at < BLOCK; at++) sum += at >= from && at < to ? 0x20 : (header[at] ?? 0);
  return sum === numberIn(header.subarray(from, to));
}

/** Parses a number in a header: octal digits, or base 256 (first bit set) for larger numbers. */
function numberIn(field: Buffer): number {
  if (((field[0] ?? 0) & 0x80) !== 0) {
    return field.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0);
  }
  const digits = /^[ \0]*([0-7]*)/.exec(field.toString('latin1'))?.[1] ?? '';
  return digits === '' ? 0 : Number.parseInt(digits, 8);
}
