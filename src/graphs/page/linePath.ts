import type uPlot from 'uplot';

/**
 * Returns what builds the path of a line: `null` breaks it, `undefined` does not. That of the library takes twice the
 * time, because it always builds the area, too.
 *
 * @param isFilled whether the area between the line and 0 is filled.
 */
export function linePath(isFilled: boolean): uPlot.Series.PathBuilder {
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
    for (let at = from; at <= to; at++) {
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
