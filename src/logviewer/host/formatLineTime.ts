import * as l10n from '@vscode/l10n';

import type { ViewerStyle } from '../protocol.ts';

/**
 * Formats the timestamp of a line. Returns an empty string if there is none, or if the style shows none.
 *
 * @param timestamp RFC 3339, as the engine writes it.
 * @param now milliseconds since 1970. The date is included if the line is from another day.
 */
export function formatLineTime(
  timestamp: string,
  times: ViewerStyle['times'],
  now: number,
): string {
  if (times === 'off' || timestamp === '') return '';
  const moment = Date.parse(timestamp);
  if (Number.isNaN(moment)) return '';
  if (times === 'relative') return formatElapsed(now - moment);
  return clockTime(moment, times, now, WITH_MILLISECONDS);
}

/** Formats a time in short form: `14:02`, with the date if it is not today. */
export function formatShortTime(
  timestamp: string,
  times: ViewerStyle['times'],
  now: number,
): string {
  const moment = Date.parse(timestamp);
  return Number.isNaN(moment) ? timestamp : clockTime(moment, times, now, WITHOUT_SECONDS);
}

// Length of `14:02:07.123`, and of its hours and minutes.
const WITH_MILLISECONDS = 12;
const WITHOUT_SECONDS = 5;

/** Returns the first `length` characters of the time of day, with the date if it is not today. */
function clockTime(
  moment: number,
  times: ViewerStyle['times'],
  now: number,
  length: number,
): string {
  const zone = times === 'utc' ? 0 : undefined;
  const [day, time] = clockOf(moment, zone);
  const [today] = clockOf(now, zone);
  const shown = time.slice(0, length);
  return day === today ? shown : `${day} ${shown}`;
}

/**
 * Returns the date and the time of day in milliseconds precision.
 *
 * @param offset minutes from UTC; undefined for the local time zone.
 */
function clockOf(moment: number, offset: number | undefined): readonly [string, string] {
  const minutes = offset ?? -new Date(moment).getTimezoneOffset();
  const iso = new Date(moment + minutes * 60_000).toISOString();
  return [iso.slice(0, 10), iso.slice(11, 23)];
}

function formatElapsed(milliseconds: number): string {
  // The engine's clock may be ahead of the local clock.
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return l10n.t('{0} s ago', seconds);
  if (seconds < 3600) return l10n.t('{0} min ago', Math.floor(seconds / 60));
  if (seconds < 86_400) return l10n.t('{0} h ago', Math.floor(seconds / 3600));
  return l10n.t('{0} d ago', Math.floor(seconds / 86_400));
}
