import type { L10n } from '../../l10n.ts';
import { InputError } from '../errors.ts';

const STAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9})\d*)?(Z|[+-]\d\d:\d\d)$/;

/**
 * An engine's time stamp as the value of a `since` parameter: `seconds.nanoseconds`. By text alone, for the
 * nanoseconds do not fit a JavaScript number. The results compare as texts. Empty for what is no stamp.
 */
export function stampAsSince(timestamp: string): string {
  const [, moment = '', fraction = '', zone = ''] = STAMP.exec(timestamp) ?? [];
  const seconds = Date.parse(moment + zone) / 1000;
  return Number.isNaN(seconds) ? '' : `${seconds}.${fraction.padEnd(9, '0')}`;
}

/** The whole second of a stamp, since the epoch; NaN for what is no stamp. */
export function secondOf(stamp: string): number {
  return Math.floor(Number(stampAsSince(stamp) || NaN));
}

/** `seconds[.nanoseconds]` as RFC 3339, so many nanoseconds later. */
export function shiftedDate(moment: string, nanoseconds: bigint): string {
  const [seconds = '0', fraction = ''] = moment.split('.');
  const all = BigInt(seconds) * SECOND + BigInt(fraction.padEnd(9, '0')) + nanoseconds;
  const rest = ((all % SECOND) + SECOND) % SECOND;
  const whole = new Date(Number((all - rest) / SECOND) * 1000).toISOString().slice(0, -5);
  return `${whole}.${String(rest).padStart(9, '0')}Z`;
}

const SECOND = 1_000_000_000n;

/** Whether stamp `a` is later than stamp `b`; any is later than the empty one. */
export function isLaterStamp(a: string, b: string): boolean {
  if (a === '') return false;
  // Nearly always both have the one fixed form.
  if (a.length === b.length && a.endsWith('Z') && b.endsWith('Z')) return a > b;
  return stampAsSince(a) > stampAsSince(b);
}

const SECONDS = /^\d{1,11}(\.\d{1,9})?$/;
const ISO =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?\s*(Z|[+-]\d\d(?::?\d\d)?)?$/i;

/**
 * What a person gives as `since`, ISO 8601 or seconds since the epoch, as the engine wants it:
 * `seconds[.nanoseconds]`. A moment without a zone is one of this machine's.
 *
 * @throws InputError for anything else.
 */
export function parseSince(since: string | number, l10n: L10n): string {
  const text = String(since).trim();
  if (SECONDS.test(text)) return text;
  const [, day = '', time = '00:00', second = '00', fraction, zone = ''] = ISO.exec(text) ?? [];
  const milliseconds = Date.parse(`${day}T${time}:${second}${isoZone(zone)}`);
  if (!(milliseconds >= 0))
    throw new InputError(
      l10n.t(
        'The start "{0}" is neither a date and time such as 2026-08-01T10:00:00Z nor seconds since 1970.',
        text,
      ),
    );
  const seconds = String(milliseconds / 1000);
  return fraction === undefined ? seconds : `${seconds}.${fraction.padEnd(9, '0')}`;
}

/** `+0200` and `+02` with the colon and the minutes that JavaScript insists on. */
function isoZone(zone: string): string {
  const [, hours, minutes = '00'] = /^([+-]\d\d):?(\d\d)?$/.exec(zone) ?? [];
  return hours === undefined ? zone.toUpperCase() : `${hours}:${minutes}`;
}
