import type {
  ViewerFilter,
  FindState,
  ViewerMember,
  Row,
  RowSlice,
  LogExtent,
  ToHost,
  ToPage,
  ViewerStyle,
} from '../../../src/logviewer/protocol.ts';
import { viewerStrings } from '../../../src/logviewer/viewerStrings.ts';

/** Content of a fake line. */
export type FakeLine = Partial<Omit<Row, 'id'>>;

const STYLE: ViewerStyle = { wrap: false, times: 'off', fold: false, fields: [] };
const FILTER: ViewerFilter = {
  include: undefined,
  exclude: undefined,
  levels: [],
  streams: [],
  context: 0,
};

/**
 * A fake extension: a list of lines (or a function that creates them), and a response to each message of the page.
 */
export class FakeHost {
  readonly heard: ToHost[] = [];
  members: readonly ViewerMember[] = [];
  style = STYLE;
  /** Returns the line with a number. Older lines have negative numbers. */
  line: (number: number) => FakeLine;
  first = 0;
  end: number;
  /** Numbers of the lines shown; undefined if all are. */
  shown: readonly number[] | undefined;
  isStart = true;
  words = '';
  readonly open = new Set<number>();
  /** Number of rows at the end sent with each extent. */
  #followed = 150;
  #generation = 1;
  #hits: readonly number[] = [];
  #current = 0;
  readonly #send: (messages: readonly ToPage[]) => Promise<void>;

  constructor(
    end: number,
    line: (number: number) => FakeLine,
    send: (messages: readonly ToPage[]) => Promise<void>,
  ) {
    this.end = end;
    this.line = line;
    this.#send = send;
  }

  /** Returns the received messages of a type. */
  of<T extends ToHost['type']>(type: T): readonly Extract<ToHost, { type: T }>[] {
    return this.heard.filter((message) => message.type === type) as Extract<ToHost, { type: T }>[];
  }

  get shape(): LogExtent {
    return {
      generation: this.#generation,
      rowCount: this.#rowCount,
      lineCount: this.end - this.first,
      droppedCount: 0,
      isStart: this.isStart,
      isReadingOlder: false,
      isFiltered: this.shown !== undefined,
    };
  }

  /** Appends lines. */
  async add(count: number): Promise<void> {
    this.end += count;
    await this.tell(this.#told(count));
  }

  /** Inserts older lines before the first. */
  async prepend(count: number): Promise<void> {
    this.first -= count;
    this.#generation += 1;
    await this.tell({ type: 'shifted', generation: this.#generation, by: count }, this.#told(0));
  }

  /** Shows other rows. `anchor` is the new index of a row. */
  async show(shown: readonly number[] | undefined, anchor?: LogExtent['anchor']): Promise<void> {
    this.shown = shown;
    this.#generation += 1;
    await this.tell(this.#told(Infinity, anchor));
  }

  async tell(...messages: readonly ToPage[]): Promise<void> {
    await this.#send(messages);
  }

  /** Takes a message from the page and responds to it. */
  async take(message: ToHost): Promise<void> {
    this.heard.push(message);
    const answer = this.#answer(message);
    if (answer.length > 0) await this.tell(...answer);
  }

  get #rowCount(): number {
    return this.shown?.length ?? this.end - this.first;
  }

  #answer(message: ToHost): readonly ToPage[] {
    switch (message.type) {
      case 'ready':
        return this.#welcome(message.position?.id);
      case 'follow':
        this.#followed = message.count;
        return [this.#told(Infinity)];
      case 'want':
        this.#followed = 0;
        return message.generation === this.#generation ? [this.#rows(message)] : [];
      case 'find':
        return this.#find(message.query?.pattern ?? '', message.fromRow);
      case 'findNext':
        return this.#step(message.step);
      case 'style':
        this.style = message.style;
        return [];
      case 'fold':
      case 'json':
        this.open[message.isOpen ? 'add' : 'delete'](message.id);
        return [];
      case 'command':
      case 'current':
      case 'copy':
      case 'filter':
      case 'older':
      case 'openLink':
      case 'searchBack':
      case 'showMember':
        return [];
    }
  }

  #welcome(id: number | undefined): readonly ToPage[] {
    const strings = viewerStrings();
    const isKnown = id !== undefined && this.#rowCount > 0;
    const anchor = isKnown ? { id, row: id - this.first } : undefined;
    this.#followed = anchor ? 0 : 150;
    return [
      { type: 'init', strings, style: this.style, filter: FILTER, title: 'web' },
      { type: 'members', members: this.members },
      this.#told(Infinity, anchor),
    ];
  }

  /** Returns the extent, with the newest `count` rows if the page follows the end. */
  #told(count: number, anchor?: LogExtent['anchor']): ToPage {
    const to = this.#rowCount;
    const from = Math.max(0, to - Math.min(count, this.#followed));
    const { rows } = this.#slice({ from, to });
    return {
      ...{ type: 'shape', shape: { ...this.shape, ...(anchor && { anchor }) } },
      ...(rows.length > 0 && { tail: { from, rows } }),
    };
  }

  #rows(range: { readonly from: number; readonly to: number }): ToPage {
    return { type: 'rows', generation: this.#generation, ...this.#slice(range) };
  }

  #slice({ from, to }: { readonly from: number; readonly to: number }): RowSlice {
    const end = Math.min(to, this.#rowCount);
    const rows = Array.from({ length: Math.max(0, end - from) }, (_, offset) =>
      this.#row(this.shown?.[from + offset] ?? this.first + from + offset),
    );
    return { from, rows };
  }

  #row(id: number): Row {
    const line = { ...blank(id), ...this.line(id), id };
    const isOpen = this.open.has(id);
    const opened = {
      ...line,
      ...(line.json && { json: { ...line.json, isOpen } }),
      ...(line.folded && { folded: { ...line.folded, isOpen } }),
    };
    return this.words === '' ? opened : { ...opened, runs: opened.runs.flatMap(this.#marked) };
  }

  readonly #marked = (run: Row['runs'][number]): Row['runs'] => {
    const at = run.text.indexOf(this.words);
    if (at < 0) return [run];
    const end = at + this.words.length;
    return [
      { ...run, text: run.text.slice(0, at) },
      { ...run, text: this.words, isMatch: true },
      { ...run, text: run.text.slice(end) },
    ];
  };

  #find(words: string, fromRow: number | undefined): readonly ToPage[] {
    this.words = words;
    this.#hits = words === '' ? [] : this.#search(words);
    const next = this.#hits.findIndex((row) => row >= (fromRow ?? Infinity));
    const isNowhere = fromRow === undefined || this.#hits.length === 0;
    this.#current = isNowhere ? 0 : Math.max(0, next) + 1;
    return this.#found();
  }

  #search(words: string): readonly number[] {
    const rows: number[] = [];
    for (let row = 0; row < this.#rowCount; row++) {
      const text =
        (this.line(row + this.first).runs ?? blank(row + this.first).runs)[0]?.text ?? '';
      if (text.includes(words)) rows.push(row);
    }
    return rows;
  }

  #step(step: 1 | -1): readonly ToPage[] {
    const count = this.#hits.length;
    if (count === 0) return [];
    this.#current = ((this.#current - 1 + step + count) % count) + 1;
    return this.#found();
  }

  #found(): readonly ToPage[] {
    const row = this.#hits[this.#current - 1];
    const find: FindState = {
      count: this.#hits.length,
      current: this.#current,
      isDone: true,
      marks: this.#hits.map((hit) => Math.round((hit / this.#rowCount) * 1000)),
      problem: undefined,
      horizon: undefined,
      isSearchingBack: false,
    };
    const told: ToPage = { type: 'find', find };
    return row === undefined ? [told] : [told, { type: 'reveal', row, id: row + this.first }];
  }
}

function blank(id: number): Row {
  return {
    id,
    kind: 'stdout',
    member: 0,
    level: 'none',
    time: '',
    moment: `moment ${id}`,
    runs: [{ text: `line ${id}` }],
  };
}
