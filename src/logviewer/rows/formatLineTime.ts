import type { L10n } from '../../l10n.ts';
import type { ViewerStyle } from '../protocol.ts';

/**
 * The moment of a line in the words of a style; empty where there is none, or none is wanted.
 *
 * @param timestamp as the engine spells it, RFC 3339.
 * @param now milliseconds since 1970: of another day than this the day is told, too.
 */
export function formatLineTime(
  timestamp: string,
  times: ViewerStyle['times'],
  now: number,
  l10n: L10n,
): string {
  if (times === 'off' || timestamp === '') return '';
  const moment = Date.parse(timestamp);
  if (Number.isNaN(moment)) return '';
  if (times === 'relative') return formatElapsed(now - moment, l10n);
  const zone = times === 'utc' ? 0 : undefined;
  const [day, time] = clockOf(moment, zone);
  const [today] = clockOf(now, zone);
  return day === today ? time : `${day} ${time}`;
}

/** A moment as a person would say it: `14:02`, with the day where that is not today. */
export function formatShortTime(
  timestamp: string,
  times: ViewerStyle['times'],
  now: number,
): string {
  const moment = Date.parse(timestamp);
  if (Number.isNaN(moment)) return timestamp;
  const zone = times === 'utc' ? 0 : undefined;
  const [day, time] = clockOf(moment, zone);
  const [today] = clockOf(now, zone);
  const short = time.slice(0, 5);
  return day === today ? short : `${day} ${short}`;
}

/** Day and time of day, to the millisecond, `offset` minutes from UTC; by default this machine's. */
function clockOf(moment: number, offset: number | undefined): readonly [string, string] {
  const minutes = offset ?? -new Date(moment).getTimezoneOffset();
  const iso = new Date(moment + minutes * 60_000).toISOString();
  return [iso.slice(0, 10), iso.slice(11, 23)];
}

function formatElapsed(milliseconds: number, l10n: L10n): string {
  // An engine's clock may be ahead of ours.
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return l10n.t('{0} s ago', seconds);
  if (seconds < 3600) return l10n.t('{0} min ago', Math.floor(seconds / 60));
  if (seconds < 86_400) return l10n.t('{0} h ago', Math.floor(seconds / 3600));
  return l10n.t('{0} d ago', Math.floor(seconds / 86_400));
}
