import { median, rounded } from './figures.ts';

/** A line of the page Performance. */
export interface Benchmark {
  readonly name: string;
  readonly unit: string;
  /** The decimal places of the value, and of the ratio if they are not two. */
  readonly digits?: number;
  readonly ratioDigits?: number;
  /** What it is compared with in the same run. */
  readonly peer?: string;
  /** The ratio is that of the speeds, and not that of the times. */
  readonly isSpeed?: boolean;
  readonly limit?: Limit;
}

/** A limit of the value, or of its ratio to that of the peer. */
export interface Limit {
  readonly of?: 'ratio';
  readonly most?: number;
  readonly least?: number;
}

/** The result of a run: one value, or several of which the median counts. */
export interface Measurement {
  readonly subject: number | readonly number[];
  readonly peer?: number | readonly number[];
  /** The limit, if it depends on the run. */
  readonly limit?: Limit;
  readonly note?: string;
}

/** The results by the key of their benchmark. */
export type Measurements<Key extends string> = Readonly<Record<Key, Measurement>>;

/** Benchmarks that are measured together, and named together in `npm run bench -- NAME`. */
export interface Part {
  readonly benchmarks: Readonly<Record<string, Benchmark>>;
  run(options: BenchOptions): Promise<Measurements<string>>;
}

/** The options of a run. */
export interface BenchOptions {
  /** The duration of `idle`, and the maximum duration of `viewer`, in minutes. */
  readonly minutes: number;
}

/** Returns a record whose keys start with a prefix. */
export function prefixed<Prefix extends string, Key extends string, Value>(
  prefix: Prefix,
  record: Readonly<Record<Key, Value>>,
): Readonly<Record<`${Prefix} ${Key}`, Value>> {
  const entries = Object.entries<Value>(record).map(([key, value]) => [`${prefix} ${key}`, value]);
  return Object.fromEntries(entries) as Readonly<Record<`${Prefix} ${Key}`, Value>>;
}

/** Measures a part, and prints a line with aligned columns for each of its benchmarks. */
export async function runPart(part: Part, options: BenchOptions): Promise<void> {
  const measured = await part.run(options);
  for (const [key, benchmark] of Object.entries(part.benchmarks)) {
    const measurement = measured[key];
    if (!measurement) throw new Error(`${benchmark.name} was not measured`);
    console.log(lineOf(benchmark, measurement));
  }
}

function lineOf(benchmark: Benchmark, measurement: Measurement): string {
  const { name, unit, digits = 0 } = benchmark;
  const value = rounded(middle(measurement.subject), digits);
  const ratio = ratioOf(benchmark, measurement);
  const limit = measurement.limit ?? benchmark.limit;
  const columns = [
    name.padEnd(62),
    `${value} ${unit}`.padStart(14),
    (ratio === undefined ? '' : `${ratio} ×`).padStart(10),
    ...(limit ? verdict(limit, limit.of === 'ratio' ? ratio : value) : ['']),
    notesOf(benchmark, measurement),
  ];
  return columns.join('  ').trimEnd();
}

function ratioOf(
  { isSpeed = false, ratioDigits = 2 }: Benchmark,
  { subject, peer }: Measurement,
): number | undefined {
  if (peer === undefined) return undefined;
  const ratio = middle(subject) / middle(peer);
  return rounded(isSpeed ? 1 / ratio : ratio, ratioDigits);
}

function verdict({ of, most, least }: Limit, figure = NaN): readonly string[] {
  const sign = most === least ? '' : most === undefined ? '≥ ' : '≤ ';
  const holds = figure >= (least ?? -Infinity) && figure <= (most ?? Infinity);
  const limit = `${sign}${most ?? least}${of === 'ratio' ? ' ×' : ''}`;
  return [limit.padEnd(8), holds ? 'holds' : 'MISSED'];
}

function notesOf({ peer: name, unit, digits }: Benchmark, found: Measurement): string {
  const { subject, peer, note } = found;
  const notes = [
    peer !== undefined && `${name} ${rounded(middle(peer), digits ?? 0)} ${unit}`,
    typeof subject !== 'number' &&
      `${rounded(Math.min(...subject), digits ?? 0)} to ${rounded(Math.max(...subject), digits ?? 0)} in ${subject.length}`,
    note,
  ];
  return notes.filter((part) => typeof part === 'string').join(' · ');
}

function middle(values: number | readonly number[]): number {
  return typeof values === 'number' ? values : median(values);
}
