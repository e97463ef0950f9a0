/** A row of the benchmark table. */
export interface BenchRow {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** What it is compared with in the same run. */
  readonly peer?: string;
  /** The value divided by that of the peer. */
  readonly ratio?: number;
  /** The target, for example `≥ 0.3`. */
  readonly target?: string;
  /** Whether the target is met. */
  readonly holds?: boolean;
  readonly note?: string;
}
