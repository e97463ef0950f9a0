import { asRecord, asTexts } from '../../engine/wire/wire.ts';
import { make } from '../../logviewer/page/dom.ts';
import { PageStrings } from '../../logviewer/page/pageStrings.ts';
import { joinParts } from '../../views/format.ts';
import { formatClock } from '../formatGraph.ts';
import type { GraphString } from '../graphStrings.ts';
import { lineStyle } from '../lineStyle.ts';
import type { GraphMark, GraphMember, ToPage } from '../protocol.ts';
import { TimeSeries } from '../timeSeries.ts';
import { followedRange, movedByKey, selectedRange, zoomed, type TimeRange } from '../timeRange.ts';
import { Graph, type GraphPicture } from './graph.ts';
import { GraphsToolbar } from './graphsToolbar.ts';
import type { GraphsHost } from './graphsHost.ts';
import { graphTheme } from './graphTheme.ts';
import { MemberTable } from './memberTable.ts';
import { membersText, sumOf, titledTexts, valuesOf, valueTexts } from './memberValues.ts';
import { GRAPH_KINDS, type GraphKind, type PlottedMember } from './plotOptions.ts';
import { marksAround } from './markText.ts';
import { ReadingTable } from './readingTable.ts';

type Init = Extract<ToPage, { readonly type: 'init' }>;

/** The whole page: the containers with their values, and the graphs over one axis of time. */
export class GraphsView {
  readonly #init: Init;
  readonly #host: GraphsHost;
  readonly #strings: PageStrings<GraphString>;
  readonly #series: TimeSeries;
  readonly #graphs: readonly Graph[];
  readonly #toolbar: GraphsToolbar;
  readonly #legend: MemberTable;
  readonly #table: ReadingTable;
  readonly #banner = make('div', { class: 'banner', attributes: { role: 'alert' } });
  readonly #note = make('div', { class: 'note' });
  readonly #area: HTMLElement;
  readonly #off: Set<string>;
  readonly #themed: MutationObserver;
  #theme = graphTheme();
  #members: readonly GraphMember[] = [];
  /** The containers with lines. */
  #plotted: readonly PlottedMember[] = [];
  #marks: readonly GraphMark[] = [];
  #position: number | undefined;
  /** The time of the last readings, in seconds. */
  #now: number | undefined;
  /** What the user zoomed to; undefined while everything is shown. */
  #zoom: TimeRange | undefined;
  /** How many containers are not shown. */
  #hidden = 0;
  /** In seconds; undefined while the newest values are shown. */
  #cursor: number | undefined;
  #frame = 0;
  /** Whether something has changed since the graphs that are being drawn. */
  #isDue = false;
  #picture: GraphPicture | undefined;
  #waiting: readonly Graph[] = [];

  constructor(init: Init, host: GraphsHost) {
    this.#init = init;
    this.#host = host;
    this.#strings = new PageStrings(init.strings);
    this.#series = new TimeSeries(init.step);
    this.#off = new Set(asTexts(asRecord(host.getState())['off']));
    const strings = this.#strings;
    const { utcOffset } = init;
    const shared = {
      strings,
      utcOffset,
      onPick: this.#pick,
      onCursor: this.#point,
      onKey: this.#onKey,
      onSelect: (range: TimeRange) => this.#setZoom(selectedRange(range, this.#all)),
      onZoom: (at: number, factor: number) => this.#zoomAt(at, factor),
    };
    const kinds = Object.keys(GRAPH_KINDS) as readonly GraphKind[];
    this.#graphs = kinds.map((kind) => new Graph(kind, shared));
    this.#toolbar = new GraphsToolbar(strings, {
      onZoom: (factor) => this.#zoomAt(this.#cursor ?? this.#all.to, factor),
      onReset: () => this.#setZoom(undefined),
      onTable: this.#toggleTable,
      onLog: () => this.#pick(this.#cursor ?? this.#all.to),
    });
    this.#legend = new MemberTable(strings, this.#toggle);
    this.#table = new ReadingTable({ strings, utcOffset, onPick: this.#pick });
    this.#area = make('div', {
      class: 'graphs',
      children: this.#graphs.map(({ element }) => element),
    });
    this.#build();
    this.#themed = this.#followTheme();
    this.#keep();
    this.#update();
  }

  /** Handles a message from the extension. Unknown messages are ignored. */
  handle(message: ToPage): void {
    switch (message.type) {
      case 'members':
        this.#members = message.members;
        this.#showNotes(message);
        this.#update();
        break;
      case 'readings':
        this.#now = message.now / 1000;
        this.#series.add(message.readings);
        this.#showNote();
        this.#draw();
        break;
      case 'marks':
        this.#marks = message.marks;
        this.#draw();
        break;
      case 'position':
        this.#position = message.at;
        this.#draw();
        break;
      case 'init':
        // It begins a new view.
        break;
      default:
        message satisfies never;
    }
  }

  dispose(): void {
    cancelAnimationFrame(this.#frame);
    this.#themed.disconnect();
    for (const graph of this.#graphs) graph.dispose();
  }

  #build(): void {
    const help = make('div', {
      class: 'unseen',
      text: this.#strings.get('help'),
      attributes: { id: 'graph-help' },
    });
    const body = make('main', {
      class: 'body',
      attributes: { 'aria-label': this.#init.title },
      children: [this.#note, this.#legend.element, this.#area, this.#table.element, help],
    });
    const children = [this.#toolbar.element, this.#banner, body];
    document.body.replaceChildren(make('div', { class: 'page', children }));
    this.#banner.hidden = true;
  }

  #followTheme(): MutationObserver {
    const themed = new MutationObserver(() => {
      this.#theme = graphTheme();
      this.#update();
    });
    const attributeFilter = ['class', 'style', 'data-vscode-theme-id'];
    themed.observe(document.documentElement, { attributeFilter });
    themed.observe(document.body, { attributeFilter });
    return themed;
  }

  #showNotes({ hidden, problem }: Extract<ToPage, { type: 'members' }>): void {
    if (this.#banner.textContent !== problem) this.#banner.textContent = problem;
    this.#banner.hidden = problem === '';
    this.#hidden = hidden;
    this.#showNote();
  }

  #showNote(): void {
    const text = membersText(this.#members, this.#hidden, this.#series, this.#strings);
    if (this.#note.textContent !== text) this.#note.textContent = text;
    this.#note.hidden = text === '';
  }

  /** Everything that can be seen. */
  get #all(): TimeRange {
    return followedRange(this.#series.times[0], this.#now ?? Date.now() / 1000);
  }

  get #range(): TimeRange {
    return this.#zoom ?? this.#all;
  }

  #update(): void {
    const { isHighContrast } = this.#theme;
    const legend = this.#members.map((member, at) => ({
      member,
      style: lineStyle(at, isHighContrast),
      isShown: !this.#off.has(member.key),
    }));
    this.#legend.setMembers(legend, this.#theme);
    const plotted = legend.flatMap(({ member: { key }, style, isShown }) =>
      isShown ? [{ key, style }] : [],
    );
    if (JSON.stringify(plotted) !== JSON.stringify(this.#plotted)) this.#plotted = plotted;
    // The values of a single one are beside the graphs.
    this.#legend.element.hidden = legend.length < 2;
    this.#draw();
  }

  /** Soon, and once for all changes until then. A page that is not seen draws nothing. */
  #draw(): void {
    this.#isDue = this.#frame !== 0;
    if (this.#frame === 0) this.#frame = requestAnimationFrame(this.#drawNow);
  }

  readonly #drawNow = (): void => {
    this.#isDue = false;
    this.#toolbar.setRange(this.#rangeText(), this.#zoom !== undefined);
    this.#waiting = this.#graphs;
    this.#picture = this.#currentPicture();
    this.#showValues();
    this.#drawNext();
  };

  /** One graph for each frame: all at once would be a long task if there are many lines. */
  readonly #drawNext = (): void => {
    const [next, ...others] = this.#waiting;
    this.#waiting = others;
    if (next && this.#picture) next.draw(this.#picture);
    this.#frame = others.length > 0 ? requestAnimationFrame(this.#drawNext) : 0;
    if (this.#frame === 0 && this.#isDue) this.#draw();
    // The cursor stays at its time while the graph moves on.
    if (this.#cursor !== undefined) this.#showValues();
  };

  #currentPicture(): GraphPicture {
    const shown = new Set(this.#plotted.map(({ key }) => key));
    return {
      members: this.#plotted,
      series: this.#series,
      range: this.#range,
      marks: this.#marks.filter(({ key }) => shown.has(key)),
      position: this.#position,
      theme: this.#theme,
    };
  }

  /** Shows the values at the cursor, or else the newest. */
  #showValues(): void {
    const strings = this.#strings;
    const newest = this.#series.indexAt(this.#cursor ?? Infinity);
    const all = this.#members.map(({ key, state }) => {
      // What is stopped or gone keeps its last values.
      const isLast = this.#cursor === undefined && state !== 'up';
      const index = isLast ? this.#series.lastIndexOf(key) : newest;
      const values = valuesOf(this.#series, key, index);
      const limit = this.#series.latestOf(key)?.[LIMIT];
      this.#legend.setValues(key, valueTexts(values, limit, strings));
      return { key, values, limit, isLast };
    });
    const visible = all.filter(({ key }) => !this.#off.has(key));
    const shown = visible.length > 1 ? visible.filter(({ isLast }) => !isLast) : visible;
    const limit = shown.length === 1 ? shown[0]?.limit : undefined;
    const texts = titledTexts(sumOf(shown.map(({ values }) => values)), limit, strings);
    const isSum = visible.length > 1;
    const clock = this.#clockOf(this.#cursor);
    for (const graph of this.#graphs) {
      const text = texts[graph.kind];
      graph.setValue(text && isSum ? joinParts(strings.get('sum'), text) : text);
      const spoken = text || strings.get('none');
      graph.setCursor(this.#cursor, clock === '' ? spoken : `${clock}, ${spoken}`);
    }
    this.#toolbar.setMoment(this.#momentText(clock));
  }

  /** Returns the time of the cursor with what happened around it. */
  #momentText(clock: string): string {
    const { from, to } = this.#range;
    if (this.#cursor === undefined) return '';
    const marked = { marks: this.#marks, members: this.#members };
    const texts = marksAround(this.#cursor, (to - from) / 60, marked, this.#strings);
    return joinParts(this.#strings.get('atTime', clock), ...texts);
  }

  #clockOf(time: number | undefined): string {
    return time === undefined ? '' : formatClock(time, this.#init.utcOffset);
  }

  #rangeText(): string {
    const strings = this.#strings;
    const { from, to } = this.#range;
    if (this.#now === undefined) return strings.get('waiting');
    if (this.#zoom) return strings.get('range', this.#clockOf(from), this.#clockOf(to));
    const minutes = Math.round((to - from) / 60);
    return minutes >= 60 ? strings.get('lastHour') : strings.get('lastMinutes', minutes);
  }

  readonly #point = (time: number | undefined): void => {
    if (this.#cursor === time) return;
    this.#cursor = time;
    this.#showValues();
  };

  /** Opens the log where a value was measured: the step before it is what it is about. */
  readonly #pick = (time: number): void => {
    const { times, step } = this.#series;
    const at = times[this.#series.indexAt(time)];
    const second = at === undefined ? time : Math.min(time, at + step / 1000);
    this.#host.postMessage({ type: 'openLog', at: Math.floor(second) * 1000 });
  };

  readonly #onKey = (event: KeyboardEvent): boolean => {
    const { key, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey) return false;
    const { from, to } = this.#range;
    const step = this.#init.step / 1000;
    const current = this.#cursor ?? to;
    const moved = movedByKey(key, current, { from, to }, step);
    if (moved !== undefined) this.#point(moved);
    else if (key === 'Enter') this.#pick(current);
    else if (key === '+' || key === '=') this.#zoomAt(current, 0.5);
    else if (key === '-') this.#zoomAt(current, 2);
    else if (key === 'Escape') this.#reset();
    else return false;
    return true;
  };

  /** First the zoom, then the cursor. */
  #reset(): void {
    if (this.#zoom) this.#setZoom(undefined);
    else this.#point(undefined);
  }

  #zoomAt(at: number, factor: number): void {
    this.#setZoom(zoomed(this.#range, this.#all, at, factor));
  }

  #setZoom(range: TimeRange | undefined): void {
    this.#zoom = range;
    this.#draw();
  }

  readonly #toggle = (key: string): void => {
    if (!this.#off.delete(key)) this.#off.add(key);
    this.#keep();
    this.#update();
  };

  readonly #toggleTable = (isOn: boolean): void => {
    this.#area.hidden = isOn;
    const content = { series: this.#series, range: this.#range, marks: this.#marks };
    if (isOn) this.#table.open({ ...content, members: this.#members });
    else this.#table.close();
    this.#draw();
  };

  #keep(): void {
    this.#host.setState({ ...this.#init.selection, off: [...this.#off] });
  }
}

/** Index in a `ReadingRow`. */
const LIMIT = 3;
