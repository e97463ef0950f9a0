import { HOUR_MS } from './timeSeries.ts';

/** Part of the axis of time, in seconds since 1970. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** Returns what is shown unless the user zooms: everything up to now, at least two minutes and at most an hour. */
export function followedRange(first: number | undefined, now: number): TimeRange {
  const span = Math.min(HOUR_MS / 1000, Math.max(LEAST_FOLLOWED, now - (first ?? now)));
  return { from: now - span, to: now };
}

/**
 * Returns the range after zooming around a time, which stays where it is; undefined if it would be all there is.
 *
 * @param factor less than 1 to see less time.
 */
export function zoomed(
  range: TimeRange,
  all: TimeRange,
  at: number,
  factor: number,
): TimeRange | undefined {
  const span = Math.max(LEAST_ZOOMED, (range.to - range.from) * factor);
  if (span >= all.to - all.from) return undefined;
  const share = (at - range.from) / (range.to - range.from);
  return within({ from: at - span * share, to: at + span * (1 - share) }, all);
}

/** Returns a range that the user selected: not too little, and nothing outside of all there is. */
export function selectedRange(range: TimeRange, all: TimeRange): TimeRange | undefined {
  const middle = (range.from + range.to) / 2;
  const half = Math.max(LEAST_ZOOMED, range.to - range.from) / 2;
  if (half * 2 >= all.to - all.from) return undefined;
  return within({ from: middle - half, to: middle + half }, all);
}

/**
 * Returns where a key moves the cursor, within a range; undefined for other keys.
 *
 * @param step seconds between two values.
 */
export function movedByKey(
  key: string,
  current: number,
  { from, to }: TimeRange,
  step: number,
): number | undefined {
  const page = (to - from) / 10;
  const moves: Readonly<Record<string, number>> = {
    ArrowLeft: current - step,
    ArrowRight: current + step,
    Home: from,
    End: to,
    PageUp: current - page,
    PageDown: current + page,
  };
  const moved = Object.hasOwn(moves, key) ? moves[key] : undefined;
  return moved === undefined ? undefined : Math.max(from, Math.min(to, moved));
}

/** Moves a range into another one. */
function within({ from, to }: TimeRange, all: TimeRange): TimeRange {
  const shift = Math.max(0, all.from - from) || Math.min(0, all.to - to);
  return { from: from + shift, to: to + shift };
}

/** In seconds. */
const LEAST_FOLLOWED = 120;
const LEAST_ZOOMED = 20;
