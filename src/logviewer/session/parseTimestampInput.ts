const BACK = /^-\s*(\d{1,7})\s*(s|m|min|h|d)$/;
const CLOCK = /^(?:(today|yesterday)\s+)?(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,3}))?)?$/;
const DATE =
  /^(\d{4})-(\d\d)-(\d\d)(?:[t ]+(\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?))?\s*(z|[+-]\d\d:?\d\d)?$/;

const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const DAY_MS = 86_400_000;

/**
 * The moment a person means by `14:02`, `yesterday 14:02`, `2026-08-01 14:02`, ISO 8601 or `-15m`, in milliseconds
 * since 1970; undefined for anything else. A time of day that is still to come was yesterday's.
 *
 * @param isUtc whether times without a zone are UTC's; else this machine's.
 */
export function parseTimestampInput(text: string, now: number, isUtc: boolean): number | undefined {
  const words = text.trim().toLowerCase();
  return parseBack(words, now) ?? parseClock(words, now, isUtc) ?? parseDate(words, isUtc);
}

function parseBack(words: string, now: number): number | undefined {
  const [, count, unit = ''] = BACK.exec(words) ?? [];
  return count === undefined ? undefined : now - Number(count) * (UNITS[unit] ?? 0);
}

function parseClock(words: string, now: number, isUtc: boolean): number | undefined {
  const [, day, hours, minutes, seconds = '0', fraction = '0'] = CLOCK.exec(words) ?? [];
  if (hours === undefined || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) {
    return undefined;
  }
  const milliseconds = Number(fraction.padEnd(3, '0'));
  const time = [Number(hours), Number(minutes), Number(seconds), milliseconds] as const;
  const moment = atTimeOfDay(now, time, isUtc, day === 'yesterday' ? -1 : 0);
  return day === undefined && moment > now ? atTimeOfDay(now, time, isUtc, -1) : moment;
}

/** That time on the day of `now`, or so many days after. */
function atTimeOfDay(
  now: number,
  time: readonly [number, number, number, number],
  isUtc: boolean,
  days: number,
): number {
  if (isUtc) {
    const moment = new Date(now + days * DAY_MS);
    return moment.setUTCHours(...time);
  }
  const moment = new Date(now);
  moment.setDate(moment.getDate() + days);
  return moment.setHours(...time);
}

function parseDate(words: string, isUtc: boolean): number | undefined {
  const [, year, month, day, time = '00:00', zone] = DATE.exec(words) ?? [];
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const ending = zone?.toUpperCase() ?? (isUtc ? 'Z' : '');
  const moment = Date.parse(`${year}-${month}-${day}T${time.replace(',', '.')}${ending}`);
  return Number.isNaN(moment) ? undefined : moment;
}
