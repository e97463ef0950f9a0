import { InputError } from '../errors.ts';

const STAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9})\d*)?(Z|[+-]\d\d:\d\d)$/;

/**
 * Converts an engine's time stamp to a `since` parameter: `seconds.nanoseconds`. Works on text, because nanoseconds
 * exceed the precision of a JavaScript number. Results can be compared as strings. Empty for an invalid stamp.
 */
export function stampAsSince(timestamp: string): string {
  const [, moment = '', fraction = '', zone = ''] = STAMP.exec(timestamp) ?? [];
  const seconds = Date.parse(moment + zone) / 1000;
  return Number.isNaN(seconds) ? '' : `${seconds}.${fraction.padEnd(9, '0')}`;
}

/** Returns a stamp in whole seconds since 1970; NaN for an invalid stamp. */
export function secondOf(stamp: string): number {
  return Math.floor(Number(stampAsSince(stamp) || NaN));
}

/** Adds nanoseconds to `seconds[.nanoseconds]` and formats the sum as RFC 3339. */
export function shiftedDate(moment: string, nanoseconds: bigint): string {
  const [seconds = '0', fraction = ''] = moment.split('.');
  const all = BigInt(seconds) * SECOND + BigInt(fraction.padEnd(9, '0')) + nanoseconds;
  const rest = ((all % SECOND) + SECOND) % SECOND;
  const whole = new Date(Number((all - rest) / SECOND) * 1000).toISOString().slice(0, -5);
  return `${whole}.${String(rest).padStart(9, '0')}Z`;
}

const SECOND = 1_000_000_000n;

/** Whether stamp `a` is later than stamp `b`. Any stamp is later than an empty one. */
export function isLaterStamp(a: string, b: string): boolean {
  if (a === '') return false;
  // Fast path: nearly always, both stamps have the same fixed format.
  if (a.length === b.length && a.endsWith('Z') && b.endsWith('Z')) return a > b;
  return stampAsSince(a) > stampAsSince(b);
}

const SECONDS = /^\d{1,11}(\.\d{1,9})?$/;
const ISO =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?\s*(Z|[+-]\d\d(?::?\d\d)?)?$/i;

/**
 * Parses the user's value of `since`, ISO 8601 or seconds since 1970, to `seconds[.nanoseconds]`. A time without
 * a time zone is local time.
 *
 * @throws InputError for an invalid value.
 */
export function parseSince(since: string | number): string {
  const text = String(since).trim();
  if (SECONDS.test(text)) return text;
  const [, day = '', time = '00:00', second = '00', fraction, zone = ''] = ISO.exec(text) ?? [];
  const milliseconds = Date.parse(`${day}T${time}:${second}${isoZone(zone)}`);
  if (!(milliseconds >= 0))
    throw InputError.of(
      '"{0}" is not a start time. Use the form 2026-08-01T10:00:00Z, or seconds since 1970.',
      text,
    );
  const seconds = String(milliseconds / 1000);
  return fraction === undefined ? seconds : `${seconds}.${fraction.padEnd(9, '0')}`;
}

/** Converts `+0200` and `+02` to `+02:00`, the form that JavaScript requires. */
function isoZone(zone: string): string {
  const [, hours, minutes = '00'] = /^([+-]\d\d):?(\d\d)?$/.exec(zone) ?? [];
  return hours === undefined ? zone.toUpperCase() : `${hours}:${minutes}`;
}
