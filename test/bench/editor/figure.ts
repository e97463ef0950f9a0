import { median, rounded } from '../figures.ts';
import type { BenchRow } from '../row.ts';

/** Measured times and their context. */
export interface Figure {
  readonly name: string;
  readonly times: readonly number[];
  /** The limit in milliseconds. */
  readonly target?: number;
  /** The time that an empty extension takes for the same. */
  readonly floor?: number;
  readonly note?: string;
}

/** Returns a table row with the median of the times, and their minimum and maximum as a note. */
export function figure({ name, times, target, floor, note }: Figure): BenchRow {
  const value = rounded(median(times), 0);
  const [least, most] = [Math.min(...times), Math.max(...times)].map((time) => rounded(time, 0));
  const spread = times.length > 1 ? `${least} to ${most} in ${times.length}` : undefined;
  const notes = [spread, note].filter((part) => part !== undefined);
  return {
    name,
    value,
    unit: 'ms',
    ...(target === undefined ? {} : { target: `≤ ${target}` }),
    ...(floor === undefined
      ? {}
      : { peer: `an empty extension, ${rounded(floor, 0)} ms`, ratio: rounded(value / floor, 1) }),
    ...(notes.length === 0 ? {} : { note: notes.join(', ') }),
  };
}
