/**
 * Returns the indexes of the values of a line that are drawn, in order: of each group of neighbors the lowest and the
 * highest. Where the line breaks is always there.
 *
 * @param from first index.
 * @param to last index.
 * @param size of a group; 1 for all.
 */
export function shownIndexes(
  values: ArrayLike<number | null | undefined>,
  from: number,
  to: number,
  size: number,
): readonly number[] {
  const indexes: number[] = [];
  let low = -1;
  let high = -1;
  const endGroup = (): void => {
    if (low >= 0) indexes.push(Math.min(low, high));
    if (high !== low) indexes.push(Math.max(low, high));
    low = -1;
    high = -1;
  };
  for (let at = from; at <= to; at++) {
    // By time and not by place, so that the shape stays as it is while it moves.
    if (at % size === 0) endGroup();
    const value = values[at];
    if (value === undefined) continue;
    if (value === null) {
      endGroup();
      indexes.push(at);
      continue;
    }
    if (low < 0 || value < (values[low] ?? 0)) low = at;
    if (high < 0 || value > (values[high] ?? 0)) high = at;
  }
  endGroup();
  return indexes;
}
