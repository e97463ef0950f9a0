import { formatPercent, formatSize } from '../views/format.ts';
import { formatBinary } from '../views/formatMeasure.ts';
import type { GraphLine } from './timeSeries.ts';

/** Formats a value of a line with its unit: `12%`, `104 MiB`, `1.2 kB/s`, `7`. What goes out is negative. */
export function formatLineValue(line: GraphLine, value: number): string {
  switch (line) {
    case 'cpu':
      return formatPercent(value);
    case 'memory':
      return formatBinary(value);
    case 'pids':
      return COUNT.format(value);
    case 'received':
    case 'sent':
    case 'read':
    case 'written':
      return `${formatSize(Math.abs(value))}/s`;
  }
}

/** Once: to make it takes far longer than to use it. */
const COUNT = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/**
 * Formats the time of day.
 *
 * @param time in seconds since 1970.
 * @param utcOffset minutes that local time is ahead of UTC.
 */
export function formatClock(time: number, utcOffset: number, withSeconds = true): string {
  const date = new Date((time + utcOffset * 60) * 1000);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(11, withSeconds ? 19 : 16);
}
