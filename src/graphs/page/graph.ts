import uPlot from 'uplot';
import { make } from '../../logviewer/page/dom.ts';
import type { PageStrings } from '../../logviewer/page/pageStrings.ts';
import { formatClock, formatLineValue } from '../formatGraph.ts';
import type { GraphString } from '../graphStrings.ts';
import type { GraphMark } from '../protocol.ts';
import type { Extremes, TimeSeries } from '../timeSeries.ts';
import type { TimeRange } from '../timeRange.ts';
import { drawMarks } from './drawMarks.ts';
import { drawDirections, drawLimit } from './drawNotes.ts';
import { GRAPH_KINDS, plotOptions, type GraphKind, type PlottedMember } from './plotOptions.ts';
import type { GraphTheme } from './graphTheme.ts';

/** One graph: the lines of all shown containers, and the values of the moment beside its title. */
export class Graph {
  readonly kind: GraphKind;
  readonly element: HTMLElement;
  readonly #parts: GraphOptions;
  readonly #area: HTMLElement;
  readonly #value = make('span', { class: 'value' });
  readonly #sizes: ResizeObserver;
  readonly #sights: IntersectionObserver;
  #isSeen = false;
  #plot: uPlot | undefined;
  #picture: GraphPicture | undefined;
  /** What the plot was made for. */
  #madeFor: GraphPicture | undefined;

  constructor(kind: GraphKind, parts: GraphOptions) {
    this.kind = kind;
    this.#parts = parts;
    const { strings } = parts;
    const name = strings.get(`graph.${kind}`);
    this.#area = make('div', {
      class: 'plot',
      attributes: {
        role: 'slider',
        tabindex: '0',
        'aria-label': name,
        'aria-describedby': 'graph-help',
        'aria-orientation': 'horizontal',
      },
    });
    const head = make('div', {
      class: 'head',
      children: [make('h2', { text: name }), this.#value],
    });
    this.element = make('section', {
      class: `graph ${kind}`,
      attributes: { 'aria-label': name },
      children: [head, this.#area],
    });
    this.#area.addEventListener('keydown', (event) => {
      if (!parts.onKey(event)) return;
      event.preventDefault();
      event.stopPropagation();
    });
    this.#area.addEventListener('wheel', this.#onWheel, { passive: false });
    this.#sizes = new ResizeObserver(() => this.#resize());
    this.#sizes.observe(this.#area);
    this.#sights = new IntersectionObserver((entries) => {
      this.#isSeen = entries.at(-1)?.isIntersecting === true;
      this.#drawSeen();
    });
    this.#sights.observe(this.#area);
  }

  /** Draws the lines anew, as soon as the graph is seen. */
  draw(picture: GraphPicture): void {
    this.#picture = picture;
    this.#drawSeen();
  }

  #drawSeen(): void {
    const picture = this.#picture;
    if (!picture || !this.#isSeen) return;
    const { members, theme } = picture;
    if (members !== this.#madeFor?.members || theme !== this.#madeFor.theme) {
      this.#make(picture);
      this.#madeFor = picture;
    }
    const plot = this.#plot;
    const { from: min, to: max } = picture.range;
    plot?.batch(() => {
      plot.setData(this.#data(picture), false);
      plot.setScale('x', { min, max });
    });
    this.#area.ariaValueMin = String(Math.floor(min));
    this.#area.ariaValueMax = String(Math.ceil(max));
  }

  /** Shows the cursor at a time, and what the lines are there. */
  setCursor(time: number | undefined, text: string): void {
    const plot = this.#plot;
    if (!plot) return;
    const left = time === undefined ? -10 : plot.valToPos(time, 'x');
    if (Math.abs((plot.cursor.left ?? -10) - left) > 0.5)
      plot.setCursor({ left, top: time === undefined ? -10 : 1 }, false);
    this.#area.ariaValueNow = String(Math.round(time ?? this.#picture?.range.to ?? 0));
    this.#area.ariaValueText = text;
  }

  /** Shows values beside the title. */
  setValue(text: string): void {
    if (this.#value.textContent !== text) this.#value.textContent = text;
  }

  dispose(): void {
    this.#sizes.disconnect();
    this.#sights.disconnect();
    this.#plot?.destroy();
  }

  #data({ members, series }: GraphPicture): uPlot.AlignedData {
    const lines = GRAPH_KINDS[this.kind];
    return [
      series.times,
      ...members.flatMap(({ key }) => lines.map((line) => series.lineOf(key, line))),
    ];
  }

  #make(picture: GraphPicture): void {
    this.#plot?.destroy();
    const { clientWidth: width, clientHeight: height } = this.#area;
    const { strings, utcOffset } = this.#parts;
    const options = plotOptions(this.kind, {
      size: { width, height },
      members: picture.members,
      theme: picture.theme,
      clock: (time, withSeconds) => formatClock(time, utcOffset, withSeconds),
      extremes: (from, to) => this.#extremes(from, to),
      limit: () => this.#limit(),
      onDraw: (plot) => this.#drawOver(plot),
      onCursor: this.#parts.onCursor,
      onSelect: this.#parts.onSelect,
    });
    this.#plot = new uPlot(options, this.#data(picture), this.#area);
    this.#plot.over.title = strings.get('openLog');
    this.#plot.over.addEventListener('click', ({ offsetX }) => {
      this.#parts.onPick(this.#plot?.posToVal(offsetX, 'x') ?? 0);
    });
  }

  #drawOver(plot: uPlot): void {
    const picture = this.#picture;
    if (!picture) return;
    const { strings } = this.#parts;
    const [above, below] = DIRECTIONS[this.kind] ?? [];
    if (above && below)
      drawDirections(plot, [strings.get(above), strings.get(below)], picture.theme);
    const limit = this.#limit();
    if (limit !== undefined)
      drawLimit(plot, limit, strings.get('limit', formatLineValue('memory', limit)), picture.theme);
    drawMarks(plot, { ...picture, label: strings.get('log') });
  }

  #extremes(from: number, to: number): Extremes {
    const { members = [], series } = this.#picture ?? {};
    const all = members.flatMap(({ key }) =>
      GRAPH_KINDS[this.kind].map((line) => series?.extremesOf(key, line, from, to) ?? [0, 0]),
    );
    return [Math.min(0, ...all.map(([low]) => low)), Math.max(0, ...all.map(([, high]) => high))];
  }

  /** The memory limit, if the lines are of one container. */
  #limit(): number | undefined {
    const [only, ...others] = this.#picture?.members ?? [];
    if (this.kind !== 'memory' || !only || others.length > 0) return undefined;
    return this.#picture?.series.latestOf(only.key)?.[LIMIT] ?? undefined;
  }

  #resize(): void {
    const { clientWidth: width, clientHeight: height } = this.#area;
    if (width > 0 && height > 0) this.#plot?.setSize({ width, height });
  }

  readonly #onWheel = (event: WheelEvent): void => {
    const plot = this.#plot;
    // Without the key, the page scrolls.
    if (!plot || !(event.ctrlKey || event.metaKey) || event.deltaY === 0) return;
    event.preventDefault();
    const { left } = plot.over.getBoundingClientRect();
    this.#parts.onZoom(plot.posToVal(event.clientX - left, 'x'), event.deltaY < 0 ? 0.8 : 1.25);
  };
}

export interface GraphOptions {
  readonly strings: PageStrings<GraphString>;
  /** Minutes that local time is ahead of UTC. */
  readonly utcOffset: number;
  /** The pointer is at a time; undefined if it has left. */
  readonly onCursor: (time: number | undefined) => void;
  /** A time was clicked. */
  readonly onPick: (time: number) => void;
  /** A stretch of time was selected. */
  readonly onSelect: (range: TimeRange) => void;
  readonly onZoom: (at: number, factor: number) => void;
  /** Returns whether it has handled the key. */
  readonly onKey: (event: KeyboardEvent) => boolean;
}

/** What a graph shows. */
export interface GraphPicture {
  /** Another list has other lines. */
  readonly members: readonly PlottedMember[];
  readonly series: TimeSeries;
  readonly range: TimeRange;
  readonly marks: readonly GraphMark[];
  readonly position: number | undefined;
  readonly theme: GraphTheme;
}

/** What is above 0 and what is below. */
const DIRECTIONS: Partial<Record<GraphKind, readonly [GraphString, GraphString]>> = {
  network: ['line.received', 'line.sent'],
  block: ['line.read', 'line.written'],
};

/** Index in a `ReadingRow`. */
const LIMIT = 3;
