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
const LINK = [157, 257] as const;
const LINE_FEED = 0x0a;
/** Types of links, devices, folders and named pipes: no data follows them, even if the header has a size. */
const WITHOUT_DATA = '123456';
/** The type of a pax header: its data holds fields of the next entry that do not fit into a regular header. */
const EXTENDED = 'x';
/** The type of a header whose data is the name of the next entry, as GNU tar writes it. */
const LONG_NAME = 'L';
/** Like that, for the target of a link. */
const LONG_LINK = 'K';
/** The type of a file with holes, as GNU tar writes it: more of the map of its data may follow the header. */
const SPARSE = 'S';
/** Position in a header of whether a part of the map follows. */
const HAS_MAP = 482;
/** Position in a further part of the map of whether another part follows. */
const MAP_CONTINUES = 504;
/** Position in a header of the size with the holes. */
const REAL_SIZE = [483, 495] as const;
/** The key of the name in a pax header of a file with holes: its `path` is invented. */
const SPARSE_NAME = 'GNU.sparse.name';
/** The keys of the size with the holes, of all versions of such a pax header. */
const SPARSE_SIZES = ['GNU.sparse.size', 'GNU.sparse.realsize'] as const;
/** Types of headers that only describe the next entry. */
const EXTENSIONS = 'xgLK';
/** The maximum size of a pax header or long name that is read, in bytes. Engines refuse longer ones. */
const EXTENDED_LIMIT = 1024 * 1024;
/** Number of bytes kept of the end, because an engine that fails appends its error message there. */
const TAIL = 16 * 1024;

/**
 * Checks a tar archive as it streams by and reports whether it was complete. Cheap: only headers are parsed,
 * and only the last 16 KiB are kept.
 */
export class TarValidator {
  /** The bytes received so far of the current header, pax header, or long name. */
  #held = Buffer.alloc(0);
  /** Number of bytes to skip until the next header. */
  #skip = 0;
  /** The size of the pax header or long name being read, with padding; 0 if none is read. */
  #extension = 0;
  /** Its size without padding. */
  #extensionSize = 0;
  #extensionType = '';
  /** The size of the data after the map that is being read, with padding; undefined if none is read. */
  #sparseData: number | undefined;
  /** The fields of the next entry as given by a pax header. */
  #pax: ReadonlyMap<string, string> = new Map();
  #zeros = 0;
  #isSpoilt = false;
  #tail = Buffer.alloc(0);
  /** The long name of the next entry. Engines prefer it to that of a pax header. */
  #longName: string | undefined;
  /** The long target of the next entry, if it is a link. */
  #longLink: string | undefined;
  /** Whether engines accept the headers that describe the next entry. */
  #isValid = true;
  /** Number of bytes of the contents of the current entry that are to come. */
  #contents = 0;
  readonly #onEntry: ((entry: TarHeader) => void) | undefined;
  readonly #onContents: ((piece: Uint8Array) => void) | undefined;

  /** @param onContents called with the contents of each entry, in pieces, but for a file with holes. */
  constructor(onEntry?: (entry: TarHeader) => void, onContents?: (piece: Uint8Array) => void) {
    this.#onEntry = onEntry;
    this.#onContents = onContents;
  }

  /** Checks the next bytes. */
  push(chunk: Uint8Array): void {
    this.#keepTail(chunk);
    let at = 0;
    while (at < chunk.length && !this.#isSpoilt) {
      const skipped = Math.min(this.#skip, chunk.length - at);
      if (skipped > 0 && this.#contents > 0) this.#passOn(chunk.subarray(at, at + skipped));
      this.#skip -= skipped;
      at += skipped;
      if (at < chunk.length) at += this.#hold(chunk.subarray(at));
    }
  }

  /** Passes on the contents of an entry, without the padding behind it. */
  #passOn(bytes: Uint8Array): void {
    const piece = bytes.subarray(0, this.#contents);
    this.#contents -= piece.length;
    this.#onContents?.(piece);
  }

  /** End of the archive, assuming that no more bytes follow. */
  get end(): TarEnd {
    if (this.#isSpoilt) return 'spoilt';
    const isBetween = this.#skip === 0 && this.#held.length === 0 && this.#extension === 0;
    return isBetween && this.#zeros >= 2 ? 'whole' : 'cut';
  }

  /** Whether the end of a tar was read, whatever follows it. */
  get hasEnd(): boolean {
    return this.#zeros >= 2;
  }

  /** The last 16 KiB as text, where an engine appends its error message. */
  get tail(): string {
    return this.#tail.toString('utf8');
  }

  /** Collects the bytes of a header, pax header, or long name. Returns how many bytes were used. */
  #hold(bytes: Uint8Array): number {
    const wanted = this.#extension || BLOCK;
    const part = bytes.subarray(0, wanted - this.#held.length);
    this.#held = Buffer.concat([this.#held, part]);
    if (this.#held.length < wanted) return part.length;
    const whole = this.#held;
    this.#held = Buffer.alloc(0);
    if (this.#extension > 0) this.#readExtension(whole);
    else if (this.#sparseData !== undefined) this.#readMap(whole, this.#sparseData);
    else this.#readHeader(whole);
    return part.length;
  }

  #readHeader(header: Buffer): void {
    if (header.every((byte) => byte === 0)) {
      this.#zeros++;
      return;
    }
    const type = String.fromCharCode(header[TYPE] ?? 0);
    const isExtension = EXTENSIONS.includes(type);
    const size = isExtension
      ? numberIn(header.subarray(...SIZE))
      : this.#numberOf('size', header, SIZE);
    this.#isSpoilt = this.#zeros > 0 || !isHeader(header) || !Number.isSafeInteger(size);
    if (!this.#isSpoilt && !isExtension) this.#report(header, type, size);
    if (this.#isSpoilt || WITHOUT_DATA.includes(type)) return;
    const padded = Math.ceil(size / BLOCK) * BLOCK;
    if (type === SPARSE && header[HAS_MAP] === 1) {
      this.#sparseData = padded;
      return;
    }
    if (isExtension && size > EXTENDED_LIMIT) this.#isValid = false;
    const isRead = [EXTENDED, LONG_NAME, LONG_LINK].includes(type) && padded <= EXTENDED_LIMIT;
    this.#extension = isRead ? padded : 0;
    this.#extensionType = isRead ? type : '';
    this.#extensionSize = size;
    if (isRead) return;
    this.#skip = padded;
    this.#contents = isExtension ? 0 : size;
  }

  #readMap(map: Buffer, data: number): void {
    if (map[MAP_CONTINUES] === 1) return;
    this.#skip = data;
    this.#sparseData = undefined;
  }

  /** Returns a number of the next entry: that of its pax header, else that of its header. */
  #numberOf(key: string, header: Buffer, range: readonly [number, number]): number {
    const given = this.#pax.get(key) ?? '';
    return /^\d+$/.test(given) ? Number(given) : numberIn(header.subarray(...range));
  }

  #report(header: Buffer, type: string, size: number): void {
    const text = (range: readonly [number, number]): string =>
      header
        .subarray(...range)
        .toString('utf8')
        .split('\0', 1)[0] ?? '';
    const name = text(NAME);
    const prefix = header.toString('latin1', 257, 262) === 'ustar' ? text(PREFIX) : '';
    const own = prefix === '' ? name : `${prefix}/${name}`;
    this.#onEntry?.({
      type,
      linkTarget: this.#longLink ?? this.#pax.get('linkpath') ?? text(LINK),
      isValid: this.#isValid && NUMBERS.every((range) => isNumber(header.subarray(...range))),
      name: this.#longName ?? this.#pax.get(SPARSE_NAME) ?? this.#pax.get('path') ?? own,
      size: this.#wholeSize(header, type, size),
      mode: numberIn(header.subarray(...MODE)) & 0o7777,
      uid: this.#numberOf('uid', header, UID),
      gid: this.#numberOf('gid', header, GID),
      modifiedAt: numberIn(header.subarray(...MODIFIED)) * 1000,
    });
    this.#pax = new Map();
    this.#longName = undefined;
    this.#longLink = undefined;
    this.#isValid = true;
  }

  /** Returns the size with the holes. */
  #wholeSize(header: Buffer, type: string, size: number): number {
    if (WITHOUT_DATA.includes(type)) return 0;
    if (type === SPARSE) return numberIn(header.subarray(...REAL_SIZE));
    const given = SPARSE_SIZES.map((key) => this.#pax.get(key) ?? '');
    return Number(given.find((one) => /^\d{1,15}$/.test(one)) ?? size);
  }

  #readExtension(bytes: Buffer): void {
    this.#extension = 0;
    const text = bytes.toString('utf8').split('\0', 1)[0];
    if (this.#extensionType === LONG_NAME) this.#longName = text;
    else if (this.#extensionType === LONG_LINK) this.#longLink = text;
    else {
      const { records, isWhole } = paxRecords(bytes.subarray(0, this.#extensionSize));
      this.#pax = records;
      this.#isValid &&= isWhole && [...records].every(isPaxRecord);
    }
  }

  #keepTail(chunk: Uint8Array): void {
    const last = chunk.subarray(-TAIL);
    const before = this.#tail.subarray(Math.max(0, this.#tail.length + last.length - TAIL));
    this.#tail = Buffer.concat([before, last]);
  }
}

/** The header of an entry. Its name and link target are as the author of the tar wrote them. */
export interface TarHeader {
  readonly name: string;
  /** One character; NUL in old archives. */
  readonly type: string;
  /** For links; otherwise without meaning. */
  readonly linkTarget: string;
  /** Whether its numbers and its pax header are such that engines accept them. */
  readonly isValid: boolean;
  /** Size of the contents in bytes. */
  readonly size: number;
  /** The permission bits with setuid, setgid and the sticky bit. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Milliseconds since 1970. */
  readonly modifiedAt: number;
}

/** End of an archive: complete (`whole`), too early (`cut`), or with bytes that are not a tar (`spoilt`). */
export type TarEnd = 'whole' | 'cut' | 'spoilt';

/** Verifies the checksum of a header. The checksum field itself counts as spaces. */
function isHeader(header: Buffer): boolean {
  const [from, to] = CHECKSUM;
  let sum = 0;
  for (let at = 0; at < BLOCK; at++) sum += at >= from && at < to ? 0x20 : (header[at] ?? 0);
  return sum === numberIn(header.subarray(from, to));
}

/** Whether a field of a header is empty or a number: octal digits, or base 256. */
function isNumber(field: Buffer): boolean {
  if (((field[0] ?? 0) & 0x80) !== 0) return true;
  return /^[ \0]*(?:[0-7]+(?:\0[^]*)?[ \0]*)?$/.test(field.toString('latin1'));
}

/** The fields of a header that engines refuse if they are not numbers. */
const NUMBERS = [MODE, UID, GID, SIZE, MODIFIED] as const;

/** Whether engines accept a record of a pax header. */
function isPaxRecord([key, value]: readonly [string, string]): boolean {
  if (/^(?:path|linkpath|uname|gname)$/.test(key)) return !value.includes('\0');
  if (/^(?:uid|gid|size)$/.test(key)) return /^(?:[+-]?\d{1,19})?$/.test(value);
  return !/^[mac]time$/.test(key) || /^(?:-?\d+(?:\.\d*)?)?$/.test(value);
}

/** Reads the records of a pax header: `LENGTH key=value` and a line feed. A value may have line feeds itself. */
function paxRecords(bytes: Buffer): {
  readonly records: ReadonlyMap<string, string>;
  /** Whether all bytes are records. */
  readonly isWhole: boolean;
} {
  const records = new Map<string, string>();
  let at = 0;
  for (;;) {
    const [start = '', length = ''] =
      /^(\d{1,10}) /.exec(bytes.toString('latin1', at, at + 11)) ?? [];
    const end = at + Number(length);
    if (end <= at + start.length || end > bytes.length)
      return { records, isWhole: at === bytes.length };
    const record = bytes.toString('utf8', at + start.length, end - 1);
    const middle = record.indexOf('=');
    if (middle < 1 || bytes[end - 1] !== LINE_FEED) return { records, isWhole: false };
    records.set(record.slice(0, middle), record.slice(middle + 1));
    at = end;
  }
}

/** Parses a number in a header: octal digits, or base 256 (first bit set) for larger numbers. */
function numberIn(field: Buffer): number {
  if (((field[0] ?? 0) & 0x80) !== 0)
    return field.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0);
  const digits = /^[ \0]*([0-7]*)/.exec(field.toString('latin1'))?.[1] ?? '';
  return digits === '' ? 0 : Number.parseInt(digits, 8);
}
