/** Returns the median. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Returns the arithmetic mean. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns a quantile: 0.95 for the 95th percentile. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

/** Rounds to a number of decimal places. */
export function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/**
 * Runs works in turn, so that noise on the machine affects all of them. Resolves to the times of each in
 * milliseconds.
 *
 * @param before runs before each of them and is not measured.
 */
export async function timesInTurn<Name extends string>(
  rounds: number,
  works: Readonly<Record<Name, () => Promise<unknown>>>,
  before?: () => Promise<void>,
): Promise<Readonly<Record<Name, readonly number[]>>> {
  const names = Object.keys(works) as Name[];
  const times = names.map((name): [Name, number[]] => [name, []]);
  // The first round is a warm-up.
  for (let round = 0; round <= rounds; round++) {
    for (const [name, taken] of times) {
      await before?.();
      const startedAt = performance.now();
      await works[name]();
      if (round > 0) taken.push(performance.now() - startedAt);
    }
  }
  return Object.fromEntries(times) as unknown as Readonly<Record<Name, readonly number[]>>;
}
