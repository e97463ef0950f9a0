import type { MemberReadings, ReadingRow } from './protocol.ts';

/** The lines of all containers of the page over one axis of time, for the last hour. */
export class TimeSeries {
  readonly step: number;
  /** In seconds since 1970, evenly spaced. */
  readonly times: number[] = [];
  readonly #members = new Map<string, MemberLines>();
  /** By the index of the first of some values. */
  #extremes = new WeakMap<LineValues, Map<number, Extremes>>();
  /** Number of the first time, in steps since 1970. */
  #first = 0;

  /** @param step time between two readings in milliseconds. */
  constructor(step: number) {
    this.step = step;
  }

  /** Adds readings. Those that are older than an hour, or than what was there first, are left out. */
  add(readings: readonly MemberReadings[]): void {
    const slots = readings.flatMap(({ rows }) => rows.map(([at]) => this.#slotOf(at)));
    if (slots.length === 0) return;
    const newest = slots.reduce((a, b) => Math.max(a, b));
    const oldest = slots.reduce((a, b) => Math.min(a, b));
    // The clock was set to another time: nothing fits on one axis.
    const last = this.#first + this.times.length;
    if (Math.abs(newest - last) > this.#capacity) this.#clear();
    if (this.times.length === 0) this.#first = Math.max(oldest, newest - this.#capacity);
    for (const { key } of readings) this.#member(key);
    this.#extend(newest);
    for (const { key, rows } of readings) for (const row of rows) this.#put(this.#member(key), row);
    this.#trim();
  }

  /** Returns a line, which is changed by later readings. */
  lineOf(key: string, line: GraphLine): LineValues {
    return this.#member(key).lines[GRAPH_LINES.indexOf(line)] ?? [];
  }

  /** Returns the lowest and the highest value of a line between two indexes, and 0. */
  extremesOf(key: string, line: GraphLine, from: number, to: number): Extremes {
    const values = this.lineOf(key, line);
    const last = this.lastIndexOf(key);
    const known = this.#extremes.get(values) ?? new Map<number, Extremes>();
    this.#extremes.set(values, known);
    let all: Extremes = [0, 0];
    for (let at = from; at <= to;) {
      const end = Math.min(to + 1, at - (at % BLOCK) + BLOCK);
      // What is before the last value does not change anymore.
      const isWhole = end - at === BLOCK && end <= last;
      const found = (isWhole ? known.get(at) : undefined) ?? extremesIn(values, at, end);
      if (isWhole) known.set(at, found);
      all = [Math.min(all[0], found[0]), Math.max(all[1], found[1])];
      at = end;
    }
    return all;
  }

  /** Returns the last reading of a container. */
  latestOf(key: string): ReadingRow | undefined {
    return this.#members.get(key)?.last;
  }

  /** Returns the index of the time of the last reading of a container; -1 if there is none. */
  lastIndexOf(key: string): number {
    return this.#members.get(key)?.lastIndex ?? -1;
  }

  /** Returns the value of a line at an index of the times, or soon before; undefined if there is none. */
  valueAt(key: string, line: GraphLine, index: number): number | undefined {
    const values = this.lineOf(key, line);
    const oldest = Math.max(0, index - Math.ceil(GAP_MS / this.step));
    for (let at = index; at >= oldest; at--) {
      const value = values[at];
      if (value === null) return undefined;
      if (value !== undefined) return value;
    }
    return undefined;
  }

  /** Returns the index of the last time that is not later, or of the first time. @param time in seconds. */
  indexAt(time: number): number {
    const index = Math.floor((time * 1000) / this.step + EPSILON) - this.#first;
    return Math.max(0, Math.min(this.times.length - 1, index));
  }

  get #capacity(): number {
    return Math.ceil(HOUR_MS / this.step);
  }

  #slotOf(at: number): number {
    return Math.floor(at / this.step);
  }

  #member(key: string): MemberLines {
    const known = this.#members.get(key);
    if (known) return known;
    const empty = (): LineValues => Array.from({ length: this.times.length }, () => undefined);
    const made: MemberLines = { lines: GRAPH_LINES.map(empty), last: undefined, lastIndex: -1 };
    this.#members.set(key, made);
    return made;
  }

  #extend(slot: number): void {
    while (this.#first + this.times.length <= slot) {
      this.times.push(((this.#first + this.times.length) * this.step) / 1000);
      for (const { lines } of this.#members.values()) for (const one of lines) one.push(undefined);
    }
  }

  /** Not for each reading: moving all values would cost more than drawing them. */
  #trim(): void {
    const count = this.times.length - this.#capacity;
    if (count < SPARE) return;
    this.times.splice(0, count);
    this.#extremes = new WeakMap();
    this.#first += count;
    for (const member of this.#members.values()) {
      member.lastIndex -= count;
      for (const one of member.lines) one.splice(0, count);
    }
  }

  #clear(): void {
    this.times.length = 0;
    this.#members.clear();
  }

  #put(member: MemberLines, row: ReadingRow): void {
    const index = this.#slotOf(row[0]) - this.#first;
    const { last: before, lastIndex } = member;
    if (index < 0 || index < lastIndex) return;
    const isFirst = before === undefined || isOtherRun(before, row);
    const values = valuesOf(row, isFirst ? undefined : before);
    member.last = row;
    member.lastIndex = index;
    const hasRoom = index - 1 > lastIndex;
    const isBroken = isFirst && before !== undefined;
    member.lines.forEach((line, at) => {
      if (isBroken && hasRoom) line[index - 1] = null;
      // Without room, the first value of the run is the break.
      line[index] = isBroken && !hasRoom ? null : (values[at] ?? null);
    });
  }
}

/** The lines of a container. What goes out is negative, so that it is drawn below what comes in. */
export const GRAPH_LINES = [
  ...(['cpu', 'memory', 'received', 'sent', 'read', 'written', 'pids'] as const),
] as const;

export type GraphLine = (typeof GRAPH_LINES)[number];

/** A value at each time; `null` breaks the line, `undefined` does not. */
export type LineValues = (number | null | undefined)[];

/** How long the page remembers, in milliseconds. */
export const HOUR_MS = 3_600_000;

/** The lowest value, at most 0, and the highest. */
export type Extremes = readonly [low: number, high: number];

/** Values that are looked at once. */
const BLOCK = 60;

function extremesIn(values: LineValues, from: number, end: number): Extremes {
  let low = 0;
  let high = 0;
  for (let at = from; at < end; at++) {
    const value = values[at] ?? 0;
    if (value < low) low = value;
    else if (value > high) high = value;
  }
  return [low, high];
}

interface MemberLines {
  /** In the order of {@link GRAPH_LINES}. */
  readonly lines: readonly LineValues[];
  last: ReadingRow | undefined;
  lastIndex: number;
}

/** The longest time between two readings of one run that a line goes on over. */
const GAP_MS = 16_000;

/** Values that are removed at a time. */
const SPARE = 60;

const EPSILON = 1e-6;

/** Whether the container was started again between two readings, or nothing is known of the time between. */
function isOtherRun(before: ReadingRow, after: ReadingRow): boolean {
  const hasRestarted = COUNTERS.some((at) => (after[at] ?? 0) < (before[at] ?? 0));
  return after[CPU] === null || hasRestarted || after[0] - before[0] > GAP_MS;
}

// Indexes of a `ReadingRow`.
const CPU = 1;
const MEMORY = 2;
const PIDS = 8;
const COUNTERS = [4, 5, 6, 7] as const;

/** Returns the values of all lines at a reading: what the engine counts up is shown for each second. */
function valuesOf(row: ReadingRow, before: ReadingRow | undefined): readonly (number | null)[] {
  const rates = COUNTERS.map((at) => {
    const seconds = (row[0] - (before?.[0] ?? row[0])) / 1000;
    const now = row[at] ?? null;
    const then = before?.[at] ?? null;
    return now === null || then === null || seconds <= 0 ? null : (now - then) / seconds;
  });
  const [received = null, sent = null, read = null, written = null] = rates;
  const below = (value: number | null): number | null => value && -value;
  return [
    ...[row[CPU] ?? null, row[MEMORY] ?? null],
    ...[received, below(sent), read, below(written), row[PIDS] ?? null],
  ];
}
