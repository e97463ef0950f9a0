import type uPlot from 'uplot';
import { shownIndexes } from '../shownIndexes.ts';

/**
 * Returns what builds the path of a line: `null` breaks it, `undefined` does not. That of the library takes twice the
 * time, because it always builds the area, too.
 *
 * @param isFilled whether the area between the line and 0 is filled.
 * @param detail pixels of which the lowest and the highest value are enough.
 */
export function linePath(isFilled: boolean, detail: number): uPlot.Series.PathBuilder {
  return (plot, index, from, to) => {
    const place = placeOf(plot);
    const stroke = new Path2D();
    const fill = isFilled ? new Path2D() : null;
    const times = plot.data[0];
    const values = plot.data[index] ?? [];
    let start: number | undefined;
    let end = 0;
    const close = (): void => {
      if (start === undefined) return;
      fill?.lineTo(end, place.zero);
      fill?.closePath();
      start = undefined;
    };
    const pixels = place.perX * ((times[1] ?? 0) - (times[0] ?? 0));
    const size = Math.max(1, Math.floor((detail * devicePixelRatio) / pixels));
    for (const at of shownIndexes(values, from, to, size)) {
      const value = values[at];
      if (value === null) close();
      if (value === null || value === undefined) continue;
      end = place.left + ((times[at] ?? 0) - place.minX) * place.perX;
      const y = place.bottom - (value - place.minY) * place.perY;
      if (start === undefined) {
        start = end;
        // A point alone is seen, too.
        stroke.moveTo(end - 1, y);
        fill?.moveTo(end, place.zero);
      }
      stroke.lineTo(end, y);
      fill?.lineTo(end, y);
    }
    close();
    return { stroke, fill };
  };
}

/** Returns where values are drawn, in pixels of the canvas. */
function placeOf({ bbox, scales }: uPlot) {
  const { left, top, width, height } = bbox;
  const { min: minX = 0, max: maxX = 1 } = scales['x'] ?? {};
  const { min: minY = 0, max: maxY = 1 } = scales['y'] ?? {};
  const perY = height / (maxY - minY || 1);
  const bottom = top + height;
  const zero = bottom + minY * perY;
  return { left, bottom, zero, minX, minY, perX: width / (maxX - minX || 1), perY };
}
