import type { GraphMark } from './protocol.ts';
import { GRAPH_LINES, type GraphLine, type TimeSeries } from './timeSeries.ts';
import type { TimeRange } from './timeRange.ts';

/** Returns a range of a container as rows, newest first. Times without a value or a mark are left out. */
export function tableRows(
  series: TimeSeries,
  key: string,
  range: TimeRange,
  marks: readonly GraphMark[],
): readonly TableRow[] {
  const step = tableStep(range);
  const own = marks.filter((mark) => mark.key === key);
  const rows: TableRow[] = [];
  for (let time = Math.floor(range.to / step) * step; time > range.from - step; time -= step) {
    const values = highest(series, key, time, time + step);
    const inRow = own.filter(({ at }) => at >= time * 1000 && at < (time + step) * 1000);
    const isEmpty = GRAPH_LINES.every((line) => values[line] === undefined);
    if (!isEmpty || inRow.length > 0) rows.push({ time, values, marks: inRow });
  }
  return rows;
}

/** The highest values of a container in a short time, and what happened to it. */
export interface TableRow {
  /** In seconds since 1970. */
  readonly time: number;
  readonly values: Readonly<Record<GraphLine, number | undefined>>;
  readonly marks: readonly GraphMark[];
}

/** Returns the seconds that a row of the table is about, so that there are few enough rows. */
export function tableStep({ from, to }: TimeRange): number {
  return STEPS.find((step) => (to - from) / step <= MOST_ROWS) ?? LONGEST_STEP;
}

/** What goes out is negative: of it, the lowest. */
function highest(series: TimeSeries, key: string, from: number, to: number): TableRow['values'] {
  const { times } = series;
  const indexes: number[] = [];
  for (let at = series.indexAt(from); at < times.length && (times[at] ?? to) < to; at++)
    if ((times[at] ?? 0) >= from) indexes.push(at);
  const entries = GRAPH_LINES.map((line) => {
    const all = series.lineOf(key, line);
    const values = indexes.map((at) => all[at]).filter((one) => typeof one === 'number');
    const most = values.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a), values[0] ?? 0);
    return [line, values.length === 0 ? undefined : most] as const;
  });
  return Object.fromEntries(entries) as unknown as TableRow['values'];
}

const MOST_ROWS = 61;
const STEPS = [2, 5, 10, 15, 30, 60];
const LONGEST_STEP = 60;
