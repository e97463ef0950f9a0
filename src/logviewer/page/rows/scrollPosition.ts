// Maps rows to scroll bar positions. No browser can lay out a page as high as millions of rows, so beyond a
// limit the scroll range is scaled: only jumps use the mapping, small steps move by the rows themselves.

/** Position at the top edge of the view. Row -1 is the head above the first row. */
export interface ScrollPosition {
  readonly row: number;
  /** Number of pixels of the row above the edge; negative if the row begins below the edge. */
  readonly offset: number;
}

/** Dimensions of the scrollable content. */
export interface ScrollExtent {
  readonly count: number;
  /** Average height of a row, in pixels. */
  readonly average: number;
  /** Height of the view, in pixels. */
  readonly view: number;
}

/** Maximum height in pixels; well within the limits of all browsers. */
export const MOST_HEIGHT = 8_000_000;

/** Returns the scroll height in pixels, including the head. */
export function fullHeight({ count, average }: ScrollExtent): number {
  return Math.min(MOST_HEIGHT, Math.ceil((count + 1) * average));
}

export function scrollTopOf(position: ScrollPosition, extent: ScrollExtent): number {
  const steps = lastStep(extent);
  if (steps <= 0) return 0;
  const step = position.row + 1 + position.offset / extent.average;
  const share = Math.min(1, Math.max(0, step / steps));
  return Math.round(share * range(extent));
}

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

/** Returns the number of rows, including the head, above the edge when the end is in view. */
function lastStep({ count, average, view }: ScrollExtent): number {
  return Math.max(0, count + 1 - view / average);
}
