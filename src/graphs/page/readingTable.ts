import { make } from '../../logviewer/page/dom.ts';
import type { PageStrings } from '../../logviewer/page/pageStrings.ts';
import { joinParts } from '../../views/format.ts';
import { formatClock, formatLineValue } from '../formatGraph.ts';
import type { GraphString } from '../graphStrings.ts';
import type { GraphMark, GraphMember } from '../protocol.ts';
import { markText } from './markText.ts';
import { tableRows, tableStep, type TableRow } from '../tableRows.ts';
import { GRAPH_LINES, type GraphLine, type TimeSeries } from '../timeSeries.ts';
import type { TimeRange } from '../timeRange.ts';

type Strings = PageStrings<GraphString>;

/** The graphs as a table: of one container at a time. It does not change while it is read. */
export class ReadingTable {
  readonly element = make('div', { class: 'readings' });
  readonly #parts: ReadingTableOptions;
  readonly #choice: HTMLSelectElement;
  readonly #table = make('table');
  #content: TableContent | undefined;

  constructor(parts: ReadingTableOptions) {
    this.#parts = parts;
    this.#choice = make('select', {
      attributes: { 'aria-label': parts.strings.get('container') },
    });
    this.#choice.addEventListener('change', this.#show);
    this.element.append(this.#choice, this.#table);
    this.element.hidden = true;
  }

  /** Shows the table with what there is now. */
  open(content: TableContent): void {
    this.#content = content;
    const chosen = this.#choice.value;
    this.#choice.replaceChildren(
      ...content.members.map(({ key, name }) =>
        make('option', { text: name, attributes: { value: key } }),
      ),
    );
    if (content.members.some(({ key }) => key === chosen)) this.#choice.value = chosen;
    this.#choice.hidden = content.members.length < 2;
    this.#show();
    this.element.hidden = false;
  }

  close(): void {
    this.element.hidden = true;
    this.#table.replaceChildren();
  }

  readonly #show = (): void => {
    if (!this.#content) return;
    const { series, range, marks } = this.#content;
    const { strings } = this.#parts;
    const rows = tableRows(series, this.#choice.value, range, marks);
    const caption = strings.get('tableOf', tableStep(range));
    const titles = [strings.get('time'), ...GRAPH_LINES.map((line) => titleOf(line, strings))];
    const cells = titles.map((text) => make('th', { text, attributes: { scope: 'col' } }));
    const events = { text: strings.get('events'), class: 'events', attributes: { scope: 'col' } };
    cells.push(make('th', events));
    this.#table.replaceChildren(
      make('caption', { text: rows.length === 0 ? strings.get('none') : caption }),
      make('thead', { children: [make('tr', { children: cells })] }),
      make('tbody', { children: rows.map((row) => this.#row(row)) }),
    );
  };

  #row({ time, values, marks }: TableRow): HTMLElement {
    const { strings, utcOffset, onPick } = this.#parts;
    const text = formatClock(time, utcOffset);
    const button = make('button', {
      class: 'link',
      text,
      title: strings.get('openLogAt', text),
      onClick: () => onPick(time),
    });
    const cells = GRAPH_LINES.map((line) => {
      const value = values[line];
      return make('td', { text: value === undefined ? '' : formatLineValue(line, value) });
    });
    const events = joinParts(...marks.map((mark) => markText(mark, strings)));
    return make('tr', {
      children: [
        make('th', { attributes: { scope: 'row' }, children: [button] }),
        ...cells,
        make('td', { class: 'events', text: events }),
      ],
    });
  }
}

interface ReadingTableOptions {
  readonly strings: Strings;
  /** Minutes that local time is ahead of UTC. */
  readonly utcOffset: number;
  readonly onPick: (time: number) => void;
}

interface TableContent {
  readonly members: readonly GraphMember[];
  readonly series: TimeSeries;
  readonly range: TimeRange;
  readonly marks: readonly GraphMark[];
}

function titleOf(line: GraphLine, strings: Strings): string {
  switch (line) {
    case 'received':
    case 'sent':
      return `${strings.get('graph.network')}, ${strings.get(`line.${line}`)}`;
    case 'read':
    case 'written':
      return `${strings.get('graph.block')}, ${strings.get(`line.${line}`)}`;
    case 'cpu':
    case 'memory':
    case 'pids':
      return strings.get(`graph.${line}`);
  }
}
