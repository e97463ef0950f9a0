// Which row belongs to which place of the scroll bar. No browser lays out a page as high as millions of rows, so
// beyond a limit the scroll bar's range is a scaled one: only jumps go by it, small steps go by the rows themselves.

/** What stands at the top edge of the view. Row −1 is the head above the first row. */
export interface ScrollPosition {
  readonly row: number;
  /** How many pixels of it are above the edge; negative where it begins below. */
  readonly offset: number;
}

/** How much there is to scroll. */
export interface ScrollExtent {
  readonly count: number;
  /** Pixels of a row, on average. */
  readonly average: number;
  /** Pixels that are in view. */
  readonly view: number;
}

/** Well within what every browser lays out. */
export const MOST_HEIGHT = 8_000_000;

/** Pixels to scroll over, the head included. */
export function fullHeight({ count, average }: ScrollExtent): number {
  return Math.min(MOST_HEIGHT, Math.ceil((count + 1) * average));
}

/** Where the scroll bar stands for a place. */
export function scrollTopOf(place: ScrollPosition, extent: ScrollExtent): number {
  const steps = lastStep(extent);
  if (steps <= 0) return 0;
  const step = place.row + 1 + place.offset / extent.average;
  const share = Math.min(1, Math.max(0, step / steps));
  return Math.round(share * range(extent));
}

/** What stands at the top edge where the scroll bar stands. */
export function scrollPositionAt(scrollTop: number, extent: ScrollExtent): ScrollPosition {
  const pixels = range(extent);
  if (pixels <= 0) return { row: -1, offset: 0 };
  const step = Math.min(1, Math.max(0, scrollTop / pixels)) * lastStep(extent);
  const whole = Math.floor(step);
  return { row: whole - 1, offset: (step - whole) * extent.average };
}

function range(extent: ScrollExtent): number {
  return Math.max(0, fullHeight(extent) - extent.view);
}

/** The rows, head included, that are above the edge when the end is in view. */
function lastStep({ count, average, view }: ScrollExtent): number {
  return Math.max(0, count + 1 - view / average);
}
