/** One line of the benchmarks' table. */
export interface BenchRow {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** What it is compared with in the same run. */
  readonly peer?: string;
  /** Ours over the peer's. */
  readonly ratio?: number;
  /** What is to be reached, for example `≥ 0.3`. */
  readonly target?: string;
  /** Whether it is. */
  readonly holds?: boolean;
  readonly note?: string;
}
