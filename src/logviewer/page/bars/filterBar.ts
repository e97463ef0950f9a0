import type { ViewerFilter, Row, LogExtent } from '../../protocol.ts';
import { iconButton, make } from '../dom.ts';
import { makeMenuButton, type MenuItem } from './menu.ts';
import { QueryInput } from './queryInput.ts';
import { levelName } from '../rows/drawRow.ts';
import type { PageStrings } from '../pageStrings.ts';

type Level = Row['level'];

const LEVELS: readonly Level[] = ['trace', 'debug', 'info', 'warning', 'error', 'fatal', 'none'];
const STREAMS = ['stdout', 'stderr'] as const;

/** The bar that says which lines are shown. */
export class FilterBar {
  readonly element: HTMLElement;
  readonly #strings: PageStrings;
  readonly #onFilter: (filter: ViewerFilter) => void;
  readonly #include: QueryInput;
  readonly #exclude: QueryInput;
  readonly #context: HTMLInputElement;
  readonly #levelButton = menuButton();
  readonly #streamButton = menuButton();
  readonly #count = make('span', { class: 'count', attributes: { role: 'status' } });
  #levels: readonly Level[] = [];
  #streams: ViewerFilter['streams'] = [];

  constructor(words: PageStrings, onFilter: (filter: ViewerFilter) => void) {
    this.#strings = words;
    this.#onFilter = onFilter;
    const changed = () => {
      this.#tell();
    };
    this.#include = new QueryInput(words.get('include'), words, changed);
    this.#exclude = new QueryInput(words.get('exclude'), words, changed);
    this.#context = numberInput(words.get('contextTitle'), changed);
    makeMenuButton(this.#levelButton, () => this.#levelChoices());
    makeMenuButton(this.#streamButton, () => this.#streamChoices());
    this.element = this.#build();
    this.element.hidden = true;
    this.filter = NO_FILTER;
  }

  /** What it stands for. */
  get filter(): ViewerFilter {
    return {
      include: this.#include.query,
      exclude: this.#exclude.query,
      levels: this.#levels,
      streams: this.#streams,
      context: Math.min(99, Math.max(0, Math.floor(Number(this.#context.value)) || 0)),
    };
  }

  set filter(filter: ViewerFilter) {
    this.#include.query = filter.include;
    this.#exclude.query = filter.exclude;
    this.#levels = filter.levels;
    this.#streams = filter.streams;
    this.#context.value = String(filter.context);
    this.#label();
  }

  /** Whether it hides any line. */
  get isOn(): boolean {
    const { include, exclude, levels, streams } = this.filter;
    return Boolean(include ?? exclude) || levels.length > 0 || streams.length > 0;
  }

  /** Whether it is there. */
  get isOpen(): boolean {
    return !this.element.hidden;
  }

  /** Shows or hides it, ready to type. */
  toggle(isOpen: boolean): void {
    this.element.hidden = !isOpen;
    if (isOpen) this.#include.input.focus();
  }

  /** Says how many rows of how many there are. */
  count({ isFiltered, rowCount, lineCount }: LogExtent): void {
    const words = this.#strings;
    this.#count.textContent = isFiltered
      ? words.get('rowsOf', words.formatCount(rowCount), words.formatCount(lineCount))
      : '';
  }

  /** All lines are to be shown. */
  clear(): void {
    this.filter = NO_FILTER;
    this.#tell();
  }

  #build(): HTMLElement {
    const words = this.#strings;
    const clear = iconButton('clear-all', words.get('clearFilter'), () => {
      this.clear();
    });
    const around = make('label', {
      class: 'around',
      title: words.get('contextTitle'),
      children: [make('span', { text: words.get('context') }), this.#context],
    });
    const queries = [this.#include.element, this.#exclude.element];
    const rest = [this.#levelButton, this.#streamButton, around, this.#count, clear];
    return make('div', {
      class: 'filter',
      attributes: { role: 'group', 'aria-label': words.get('filter') },
      children: [...queries, ...rest],
    });
  }

  #tell(): void {
    this.#label();
    this.#onFilter(this.filter);
  }

  #label(): void {
    const words = this.#strings;
    const levels = this.#levels.map((level) => levelName(level, words));
    for (const [button, name, chosen] of [
      [this.#levelButton, words.get('levels'), levels],
      [this.#streamButton, words.get('streams'), this.#streams],
    ] as const) {
      button.title = name;
      const what = chosen.length === 0 ? words.get('all') : chosen.join(', ');
      button.textContent = `${name}: ${what}`;
      button.classList.toggle('chosen', chosen.length > 0);
    }
  }

  #levelChoices(): readonly MenuItem[] {
    return LEVELS.map((level) => ({
      label: levelName(level, this.#strings),
      isOn: this.#levels.includes(level),
      act: () => {
        this.#levels = flipped(this.#levels, level);
        this.#tell();
      },
    }));
  }

  #streamChoices(): readonly MenuItem[] {
    return STREAMS.map((stream) => ({
      label: stream,
      isOn: this.#streams.includes(stream),
      act: () => {
        this.#streams = flipped(this.#streams, stream);
        this.#tell();
      },
    }));
  }
}

/** Shows all lines. */
export const NO_FILTER: ViewerFilter = {
  include: undefined,
  exclude: undefined,
  levels: [],
  streams: [],
  context: 0,
};

function flipped<T>(list: readonly T[], one: T): readonly T[] {
  return list.includes(one) ? list.filter((other) => other !== one) : [...list, one];
}

function menuButton(): HTMLButtonElement {
  return make('button', { class: 'text-button drop', attributes: { type: 'button' } });
}

function numberInput(label: string, onChange: () => void): HTMLInputElement {
  const input = make('input', {
    attributes: { type: 'number', min: '0', max: '99', 'aria-label': label },
  });
  input.addEventListener('input', onChange);
  return input;
}
