import type uPlot from 'uplot';
import { formatLineValue } from '../formatGraph.ts';
import type { LineStyle } from '../lineStyle.ts';
import type { Extremes, GraphLine } from '../timeSeries.ts';
import type { TimeRange } from '../timeRange.ts';
import type { GraphTheme } from './graphTheme.ts';
import { linePath } from './linePath.ts';

/** Returns the options of the chart library for a graph. */
export function plotOptions(kind: GraphKind, parts: PlotParts): uPlot.Options {
  const { size, members, theme, onDraw, onCursor, onSelect } = parts;
  const lines = GRAPH_KINDS[kind];
  const series = members.flatMap(({ style }) => lines.map(() => lineOptions(style, parts)));
  return {
    ...size,
    legend: { show: false },
    // At the right, for half of the last time.
    padding: [8, 28, 0, 0],
    scales: {
      x: { time: false, auto: false },
      y: { range: (plot) => shownRange(plot, kind, parts) },
    },
    axes: axesOf(kind, parts),
    series: [{}, ...series],
    cursor: {
      y: false,
      // One element for each line.
      points: { show: series.length <= FEW_LINES, size: 6 },
      drag: { x: true, y: false, setScale: false },
      // The library would show everything.
      bind: { dblclick: () => null },
    },
    hooks: {
      draw: [onDraw],
      setCursor: [
        (plot) => {
          const { left = -1 } = plot.cursor;
          onCursor(left < 0 ? undefined : plot.posToVal(left, 'x'));
        },
      ],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          if (width < LEAST_DRAG) return;
          onSelect({ from: plot.posToVal(left, 'x'), to: plot.posToVal(left + width, 'x') });
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
    },
    focus: { alpha: theme.isHighContrast ? 1 : 0.3 },
  };
}

/** The graphs with their lines. */
export const GRAPH_KINDS = {
  cpu: ['cpu'],
  memory: ['memory'],
  network: ['received', 'sent'],
  block: ['read', 'written'],
  pids: ['pids'],
} as const satisfies Readonly<Record<string, readonly GraphLine[]>>;

export type GraphKind = keyof typeof GRAPH_KINDS;

/** A container with lines. */
export interface PlottedMember {
  readonly key: string;
  readonly style: LineStyle;
}

interface PlotParts {
  readonly size: { readonly width: number; readonly height: number };
  readonly members: readonly PlottedMember[];
  readonly theme: GraphTheme;
  readonly clock: (time: number, withSeconds: boolean) => string;
  /** Returns the lowest and the highest value between two indexes. */
  readonly extremes: (from: number, to: number) => Extremes;
  /** The memory limit, if it is drawn. */
  readonly limit: () => number | undefined;
  readonly onDraw: (plot: uPlot) => void;
  /** The pointer is at a time; undefined if it has left. */
  readonly onCursor: (time: number | undefined) => void;
  readonly onSelect: (range: TimeRange) => void;
}

function lineOptions(style: LineStyle, { members, theme }: PlotParts): uPlot.Series {
  const color = theme.colors[style.color] ?? theme.foreground;
  // Several areas would hide one another.
  const isFilled = members.length === 1 && !theme.isHighContrast && /^#[0-9a-f]{6}$/i.test(color);
  return {
    stroke: color,
    width: theme.isHighContrast ? 2 : 1.5,
    dash: [...style.dash],
    points: { show: false },
    // The library would look at all values each time.
    auto: false,
    pxAlign: 0,
    fill: isFilled ? `${color}22` : undefined,
    paths: linePath(isFilled, members.length > FEW_LINES ? COARSE_PIXELS : 1),
  };
}

function axesOf(kind: GraphKind, { theme, clock }: PlotParts): uPlot.Axis[] {
  const [line] = GRAPH_KINDS[kind];
  const look = {
    stroke: theme.faint,
    font: theme.font,
    grid: { stroke: theme.grid, width: 1 },
    ticks: { show: false },
    gap: 6,
  };
  return [
    {
      ...look,
      size: 26,
      space: 70,
      incrs: SECONDS,
      values: (_, splits, __, ___, step) => splits.map((time) => clock(time, step < 60)),
    },
    {
      ...look,
      // The same in all graphs, so that equal times are below each other.
      size: 66,
      space: 28,
      incrs: STEPS[kind],
      values: (_, splits) => splits.map((value) => axisValue(line, value)),
    },
  ];
}

/** Steps of the axis of time. */
const SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600];
/** Steps of the axis of values, if they are not decimal: of whole numbers, and of the units of memory. */
const STEPS: Readonly<Partial<Record<GraphKind, number[]>>> = {
  pids: [1, 10, 100, 1000, 1e4, 1e5].flatMap((unit) => [1, 2, 5].map((digit) => digit * unit)),
  memory: Array.from({ length: 50 }, (_, power) => 2 ** power),
};

function axisValue(line: GraphLine, value: number): string {
  return line === 'cpu' ? `${Number(value.toFixed(2))}%` : formatLineValue(line, value);
}

/** Returns the range of what is in view. */
function shownRange(
  { series }: uPlot,
  kind: GraphKind,
  { extremes, limit }: PlotParts,
): [number, number] {
  const [from = 0, to = 0] = series[1]?.idxs ?? [];
  return rangeOf(kind, extremes(from, to), limit());
}

/** Returns the range of values: always with 0, and never so small that noise looks like work. */
function rangeOf(
  kind: GraphKind,
  [low, high]: Extremes,
  limit: number | undefined,
): [number, number] {
  const top = Math.max(LEAST[kind], high * HEADROOM);
  // As long as the line can still be told from 0.
  const isNear = limit !== undefined && limit <= high * 4;
  return [low * HEADROOM, isNear ? Math.max(top, limit * 1.05) : top];
}

/** The least upper end of each graph. */
const LEAST: Readonly<Record<GraphKind, number>> = {
  cpu: 5,
  memory: 1024 ** 2,
  network: 1000,
  block: 1000,
  pids: 5,
};

/** Room above the highest value, for the signs of the marks. */
const HEADROOM = 1.15;

/** Pixels that the pointer has to be dragged. */
const LEAST_DRAG = 6;

/** Up to so many lines are drawn with all that costs time. */
const FEW_LINES = 8;
/** Among many lines, nobody sees more. */
const COARSE_PIXELS = 4;
