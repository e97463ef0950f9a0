/** How the line of a container is drawn: no two look the same, also without colors. */
export interface LineStyle {
  /** Index of a color. */
  readonly color: number;
  /** Lengths of its dashes and of the gaps between them, in pixels; empty for a solid line. */
  readonly dash: readonly number[];
}

/**
 * Returns the style of the line of a container by its index.
 *
 * @param isPatterned whether the first lines differ in their dashes, too: for high contrast.
 */
export function lineStyle(index: number, isPatterned: boolean): LineStyle {
  const round = Math.floor(index / LINE_COLORS);
  const pattern = isPatterned ? index + Math.floor(index / 12) : round;
  return { color: index % LINE_COLORS, dash: DASHES[pattern % DASHES.length] ?? [] };
}

/** Number of colors. */
export const LINE_COLORS = 6;

const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 2], [8, 3, 2, 3]];
