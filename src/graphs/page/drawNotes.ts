import type uPlot from 'uplot';
import type { GraphTheme } from './graphTheme.ts';

/** Draws a line at the memory limit, if that is in view. */
export function drawLimit(plot: uPlot, limit: number, label: string, theme: GraphTheme): void {
  const { ctx, bbox } = plot;
  const scale = devicePixelRatio;
  const y = Math.round(plot.valToPos(limit, 'y', true));
  if (y < bbox.top) return;
  ctx.save();
  ctx.strokeStyle = theme.marks.bad;
  ctx.lineWidth = scale;
  ctx.setLineDash([4 * scale, 4 * scale]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y + 0.5);
  ctx.lineTo(bbox.left + bbox.width, y + 0.5);
  ctx.stroke();
  writeText(plot, label, y + 3 * scale, theme);
  ctx.restore();
}

/** Writes what is above 0 and what is below. */
export function drawDirections(
  plot: uPlot,
  [above, below]: readonly [above: string, below: string],
  theme: GraphTheme,
): void {
  const { top, height } = plot.bbox;
  plot.ctx.save();
  writeText(plot, above, top + 3 * devicePixelRatio, theme);
  if ((plot.scales['y']?.min ?? 0) < 0)
    writeText(plot, below, top + height - 14 * devicePixelRatio, theme);
  plot.ctx.restore();
}

function writeText({ ctx, bbox }: uPlot, text: string, top: number, theme: GraphTheme): void {
  const scale = devicePixelRatio;
  ctx.font = theme.font.replace('11px', `${11 * scale}px`);
  ctx.textAlign = 'left';
  ctx.textBaseline = 'top';
  const left = bbox.left + 6 * scale;
  // Readable over lines, too.
  ctx.fillStyle = theme.background;
  ctx.fillRect(left - 2 * scale, top, ctx.measureText(text).width + 4 * scale, 12 * scale);
  ctx.fillStyle = theme.faint;
  ctx.fillText(text, left, top);
}
