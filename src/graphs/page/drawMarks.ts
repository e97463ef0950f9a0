import type uPlot from 'uplot';
import type { GraphMark } from '../protocol.ts';
import type { TimeRange } from '../timeRange.ts';
import type { GraphTheme } from './graphTheme.ts';

/** Draws the marks of containers, and where the log viewer is, over the lines of a graph. */
export function drawMarks(plot: uPlot, { marks, position, label, theme, range }: DrawnMarks): void {
  const { ctx } = plot;
  const isIn = (at: number): boolean => at >= range.from && at <= range.to;
  ctx.save();
  const shown = marks.filter(({ at }) => isIn(at / 1000)).slice(-MOST_MARKS);
  for (const mark of shown) drawMark(plot, mark, theme);
  if (position !== undefined && isIn(position / 1000)) drawPosition(plot, position, label, theme);
  ctx.restore();
}

interface DrawnMarks {
  readonly marks: readonly GraphMark[];
  /** Where the log viewer is, in milliseconds since 1970. */
  readonly position: number | undefined;
  /** Of the position. */
  readonly label: string;
  readonly theme: GraphTheme;
  readonly range: TimeRange;
}

/** The newest that are drawn: more of them would hide the lines. */
const MOST_MARKS = 200;

/** Half the size of the sign of a mark, in pixels. */
const SIGN = 4;

function drawMark(plot: uPlot, { at, kind }: GraphMark, theme: GraphTheme): void {
  const { ctx, bbox } = plot;
  const scale = devicePixelRatio;
  const x = Math.round(plot.valToPos(at / 1000, 'x', true));
  const color = theme.marks[TONES[kind]];
  ctx.strokeStyle = color;
  ctx.fillStyle = color;
  ctx.lineWidth = scale;
  verticalLine(ctx, x, bbox, [2 * scale, 3 * scale]);
  ctx.setLineDash([]);
  // Each kind has its own shape, so that none needs its color.
  ctx.beginPath();
  SHAPES[kind](ctx, x, bbox.top + SIGN * scale, SIGN * scale);
  if (kind === 'healthy' || kind === 'outOfMemory') ctx.stroke();
  else ctx.fill();
}

const TONES = {
  started: 'good',
  healthy: 'good',
  exited: 'neutral',
  unhealthy: 'bad',
  outOfMemory: 'bad',
} as const;

type Shape = (ctx: CanvasRenderingContext2D, x: number, y: number, half: number) => void;

const SHAPES: Readonly<Record<GraphMark['kind'], Shape>> = {
  // As the button that starts it.
  started: (ctx, x, y, half) => {
    ctx.moveTo(x - half, y - half);
    ctx.lineTo(x + half, y);
    ctx.lineTo(x - half, y + half);
  },
  exited: (ctx, x, y, half) => ctx.rect(x - half, y - half, half * 2, half * 2),
  healthy: (ctx, x, y, half) => ctx.arc(x, y, half, 0, 2 * Math.PI),
  unhealthy: (ctx, x, y, half) => {
    ctx.moveTo(x - half, y - half);
    ctx.lineTo(x + half, y - half);
    ctx.lineTo(x, y + half);
  },
  outOfMemory: (ctx, x, y, half) => {
    ctx.moveTo(x - half, y - half);
    ctx.lineTo(x + half, y + half);
    ctx.moveTo(x + half, y - half);
    ctx.lineTo(x - half, y + half);
  },
};

function drawPosition(plot: uPlot, at: number, label: string, theme: GraphTheme): void {
  const { ctx, bbox } = plot;
  const scale = devicePixelRatio;
  const x = Math.round(plot.valToPos(at / 1000, 'x', true));
  ctx.strokeStyle = theme.foreground;
  ctx.lineWidth = scale;
  verticalLine(ctx, x, bbox, []);
  ctx.font = theme.font.replace('11px', `${11 * scale}px`);
  const width = ctx.measureText(label).width + 8 * scale;
  // To the left at the right edge, so that it is not cut.
  const left = Math.min(x, bbox.left + bbox.width - width);
  const top = bbox.top + bbox.height - 16 * scale;
  ctx.fillStyle = theme.foreground;
  ctx.fillRect(left, top, width, 16 * scale);
  ctx.fillStyle = theme.background;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  ctx.fillText(label, left + 4 * scale, top + 8 * scale);
}

function verticalLine(
  ctx: CanvasRenderingContext2D,
  x: number,
  { top, height }: uPlot.BBox,
  dash: number[],
): void {
  ctx.setLineDash(dash);
  ctx.beginPath();
  ctx.moveTo(x + 0.5, top);
  ctx.lineTo(x + 0.5, top + height);
  ctx.stroke();
}
