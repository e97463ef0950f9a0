/** The middle of some figures. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The figure below which so much of all lies: 0.95 for the 95th percentile. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

/** So many digits behind the point. */
export function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/**
 * Milliseconds each of some pieces of work takes, in turn, so that a noisy machine is noisy to all of them.
 *
 * @param before is done before each of them, and not measured.
 */
export async function inTurn<Name extends string>(
  rounds: number,
  works: Readonly<Record<Name, () => Promise<unknown>>>,
  before?: () => Promise<void>,
): Promise<Readonly<Record<Name, number>>> {
  const names = Object.keys(works) as Name[];
  const times = new Map(names.map((name): [Name, number[]] => [name, []]));
  // The first round only warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      await before?.();
      const startedAt = performance.now();
      await works[name]();
      if (round > 0) times.get(name)?.push(performance.now() - startedAt);
    }
  }
  const medians = names.map((name) => [name, median(times.get(name) ?? [])]);
  return Object.fromEntries(medians) as Readonly<Record<Name, number>>;
}
