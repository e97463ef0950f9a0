import type { BenchRow } from './row.ts';

/** What a figure is to reach, and whether it does. */
export type Verdict = Pick<Required<BenchRow>, 'target' | 'holds'>;

/** For a figure that is not to be above a limit. */
export function atMost(figure: number, limit: number): Verdict {
  return { target: `≤ ${limit}`, holds: figure <= limit };
}

/** For a figure that is not to be below a limit. */
export function atLeast(figure: number, limit: number): Verdict {
  return { target: `≥ ${limit}`, holds: figure >= limit };
}

/** For a figure that is to be this one. */
export function exactly(figure: number, wanted: number): Verdict {
  return { target: String(wanted), holds: figure === wanted };
}
