import type { BenchRow } from './row.ts';

/** The target of a value, and whether it is met. */
export type Verdict = Pick<Required<BenchRow>, 'target' | 'holds'>;

/** Returns the verdict for a value with an upper limit. */
export function atMost(figure: number, limit: number): Verdict {
  return { target: `≤ ${limit}`, holds: figure <= limit };
}

/** Returns the verdict for a value with a lower limit. */
export function atLeast(figure: number, limit: number): Verdict {
  return { target: `≥ ${limit}`, holds: figure >= limit };
}

/** Returns the verdict for a value that must be exact. */
export function exactly(figure: number, wanted: number): Verdict {
  return { target: String(wanted), holds: figure === wanted };
}
