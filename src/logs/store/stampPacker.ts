/** The format of a line without a timestamp. */
const NO_STAMP = 0;
/** Limit of the time zones in one store. In practice there are fewer. */
const MOST_ZONES = 25;
/** `2006-01-02T15:04:05` */
const MOMENT = 19;
const STAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;
const ZERO = 0x30;
const DOT = 0x2e;
const MOST_SECONDS = 0xffff_ffff;

/** Converts the timestamps of one store to three numbers and back without loss. */
export class StampPacker {
  readonly #zones = ['Z'];
  readonly #encoder = new TextEncoder();
  #bytes = new Uint8Array(0);
  #lastSeconds = NaN;
  #lastMoment = '';

  /**
   * Packs the timestamps of the lines `from` to `to`.
   *
   * @returns false if one of them is invalid. The content of `packed` is undefined then.
   */
  pack(
    lines: readonly { readonly timestamp: string }[],
    from: number,
    to: number,
    packed: PackedStamps,
  ): boolean {
    if (!this.#encode(lines, from, to)) return false;
    let at = 0;
    let lastAt = 0;
    let lastLength = 0;
    for (let index = from; index < to; index++) {
      const timestamp = lines[index]?.timestamp ?? '';
      const slot = index - from;
      // Timestamps within one second differ only in their nine digits.
      const nanoseconds =
        timestamp.length === lastLength ? this.#sameSecond(at, lastAt, lastLength) : -1;
      if (nanoseconds >= 0) {
        packed.seconds[slot] = packed.seconds[slot - 1] ?? 0;
        packed.nanoseconds[slot] = nanoseconds;
        packed.forms[slot] = packed.forms[slot - 1] ?? 0;
      } else if (!this.#packOne(timestamp, slot, packed)) return false;
      lastAt = at;
      lastLength = timestamp.length;
      at += lastLength;
    }
    return true;
  }

  /** Whether a timestamp can be packed. An empty string can. */
  isStamp(timestamp: string): boolean {
    return this.#parse(timestamp) !== undefined;
  }

  /** Returns the timestamp as it was written. */
  unpack({ seconds, nanoseconds, form }: Stamp): string {
    if (form === NO_STAMP) return '';
    const digits = (form - 1) % 10;
    const fraction = String(nanoseconds).padStart(9, '0').slice(0, digits);
    const zone = this.#zones[Math.floor((form - 1) / 10)] ?? '';
    return this.#moment(seconds) + (digits > 0 ? '.' : '') + fraction + zone;
  }

  /** Returns the milliseconds since 1970, UTC; NaN without a timestamp. */
  milliseconds({ seconds, nanoseconds, form }: Stamp): number {
    if (form === NO_STAMP) return NaN;
    const zone = this.#zones[Math.floor((form - 1) / 10)] ?? 'Z';
    return seconds * 1000 + nanoseconds / 1e6 - offsetOf(zone);
  }

  /** One string for all timestamps is many times faster than one each. */
  #encode(lines: readonly { readonly timestamp: string }[], from: number, to: number): boolean {
    let all = '';
    for (let index = from; index < to; index++) all += lines[index]?.timestamp ?? '';
    if (all.length > this.#bytes.length) this.#bytes = new Uint8Array(2 * all.length);
    const { read, written } = this.#encoder.encodeInto(all, this.#bytes);
    return read === all.length && written === all.length;
  }

  /** Returns the nanoseconds of the timestamp at `at` if all else equals the timestamp at `lastAt`; else -1. */
  #sameSecond(at: number, lastAt: number, length: number): number {
    const bytes = this.#bytes;
    if (length < MOMENT + 11 || bytes[at + MOMENT] !== DOT) return -1;
    for (let offset = 0; offset <= MOMENT; offset++)
      if (bytes[at + offset] !== bytes[lastAt + offset]) return -1;
    for (let offset = MOMENT + 10; offset < length; offset++)
      if (bytes[at + offset] !== bytes[lastAt + offset]) return -1;
    let nanoseconds = 0;
    for (let offset = MOMENT + 1; offset < MOMENT + 10; offset++) {
      const digit = (bytes[at + offset] ?? 0) - ZERO;
      if (digit < 0 || digit > 9) return -1;
      nanoseconds = nanoseconds * 10 + digit;
    }
    return nanoseconds;
  }

  #packOne(timestamp: string, slot: number, packed: PackedStamps): boolean {
    const stamp = this.#parse(timestamp);
    if (!stamp) return false;
    packed.seconds[slot] = stamp.seconds;
    packed.nanoseconds[slot] = stamp.nanoseconds;
    packed.forms[slot] = stamp.form;
    return true;
  }

  #parse(timestamp: string): Stamp | undefined {
    if (timestamp === '') return { seconds: 0, nanoseconds: 0, form: NO_STAMP };
    const [, moment = '', fraction = '', zone = ''] = STAMP.exec(timestamp) ?? [];
    const seconds = Date.parse(`${moment}Z`) / 1000;
    if (!(seconds >= 0 && seconds <= MOST_SECONDS) || this.#moment(seconds) !== moment)
      return undefined;
    const zoneNumber = this.#zoneNumber(zone);
    if (zoneNumber < 0) return undefined;
    const nanoseconds = Number(fraction.padEnd(9, '0'));
    return { seconds, nanoseconds, form: 1 + fraction.length + 10 * zoneNumber };
  }

  #zoneNumber(zone: string): number {
    const known = this.#zones.indexOf(zone);
    if (known >= 0) return known;
    return this.#zones.length < MOST_ZONES ? this.#zones.push(zone) - 1 : -1;
  }

  #moment(seconds: number): string {
    if (seconds !== this.#lastSeconds) {
      this.#lastMoment = new Date(seconds * 1000).toISOString().slice(0, MOMENT);
      this.#lastSeconds = seconds;
    }
    return this.#lastMoment;
  }
}

/** Timestamps of some lines as numbers, starting at index 0. */
interface PackedStamps {
  /** Seconds since 1970 of the date and time as written, ignoring the time zone. */
  readonly seconds: Uint32Array;
  readonly nanoseconds: Uint32Array;
  /** The format of the timestamp: the number of decimals, and the time zone. */
  readonly forms: Uint8Array;
}

/** One timestamp as numbers; see {@link PackedStamps}. */
export interface Stamp {
  readonly seconds: number;
  readonly nanoseconds: number;
  readonly form: number;
}

/** Returns the milliseconds by which a time zone such as `+02:00` is ahead of UTC. */
function offsetOf(zone: string): number {
  if (zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6));
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
}
