/**
 * Returns the first integer from `low` that satisfies a condition, by binary search; `high` if there is none below it.
 *
 * @param isReached false up to some number, true from there on.
 */
export function firstIndex(
  low: number,
  high: number,
  isReached: (index: number) => boolean,
): number {
  let from = low;
  let to = high;
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (isReached(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}
