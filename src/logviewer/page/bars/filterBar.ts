import type { FilterWords, Row, Shape } from '../../protocol.ts';
import { iconButton, make } from '../dom.ts';
import { makeMenuButton, type Choice } from './menu.ts';
import { QueryInput } from './queryInput.ts';
import { levelWord } from '../rows/rowView.ts';
import type { Words } from '../words.ts';

type Level = Row['level'];

const LEVELS: readonly Level[] = ['trace', 'debug', 'info', 'warning', 'error', 'fatal', 'none'];
const STREAMS = ['stdout', 'stderr'] as const;

/** Shows all lines. */
export const NO_FILTER: FilterWords = {
  include: undefined,
  exclude: undefined,
  levels: [],
  streams: [],
  context: 0,
};

/** The bar that says which lines are shown. */
export class FilterBar {
  readonly element: HTMLElement;
  readonly #words: Words;
  readonly #onFilter: (filter: FilterWords) => void;
  readonly #include: QueryInput;
  readonly #exclude: QueryInput;
  readonly #context: HTMLInputElement;
  readonly #levelButton = menuButton();
  readonly #streamButton = menuButton();
  readonly #count = make('span', { class: 'count', attributes: { role: 'status' } });
  #levels: readonly Level[] = [];
  #streams: FilterWords['streams'] = [];

  constructor(words: Words, onFilter: (filter: FilterWords) => void) {
    this.#words = words;
    this.#onFilter = onFilter;
    const changed = () => {
      this.#tell();
    };
    this.#include = new QueryInput(words.say('include'), words, changed);
    this.#exclude = new QueryInput(words.say('exclude'), words, changed);
    this.#context = numberInput(words.say('contextTitle'), changed);
    makeMenuButton(this.#levelButton, () => this.#levelChoices());
    makeMenuButton(this.#streamButton, () => this.#streamChoices());
    this.element = this.#build();
    this.element.hidden = true;
    this.filter = NO_FILTER;
  }

  /** What it stands for. */
  get filter(): FilterWords {
    return {
      include: this.#include.query,
      exclude: this.#exclude.query,
      levels: this.#levels,
      streams: this.#streams,
      context: Math.min(99, Math.max(0, Math.floor(Number(this.#context.value)) || 0)),
    };
  }

  set filter(filter: FilterWords) {
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
  count({ isFiltered, rowCount, lineCount }: Shape): void {
    const words = this.#words;
    this.#count.textContent = isFiltered
      ? words.say('rowsOf', words.count(rowCount), words.count(lineCount))
      : '';
  }

  /** All lines are to be shown. */
  clear(): void {
    this.filter = NO_FILTER;
    this.#tell();
  }

  #build(): HTMLElement {
    const words = this.#words;
    const clear = iconButton('clear-all', words.say('clearFilter'), () => {
      this.clear();
    });
    const around = make('label', {
      class: 'around',
      title: words.say('contextTitle'),
      children: [make('span', { text: words.say('context') }), this.#context],
    });
    const queries = [this.#include.element, this.#exclude.element];
    const rest = [this.#levelButton, this.#streamButton, around, this.#count, clear];
    return make('div', {
      class: 'filter',
      attributes: { role: 'group', 'aria-label': words.say('filter') },
      children: [...queries, ...rest],
    });
  }

  #tell(): void {
    this.#label();
    this.#onFilter(this.filter);
  }

  #label(): void {
    const words = this.#words;
    const levels = this.#levels.map((level) => levelWord(level, words));
    for (const [button, name, chosen] of [
      [this.#levelButton, words.say('levels'), levels],
      [this.#streamButton, words.say('streams'), this.#streams],
    ] as const) {
      button.title = name;
      const what = chosen.length === 0 ? words.say('all') : chosen.join(', ');
      button.textContent = `${name}: ${what}`;
      button.classList.toggle('chosen', chosen.length > 0);
    }
  }

  #levelChoices(): readonly Choice[] {
    return LEVELS.map((level) => ({
      label: levelWord(level, this.#words),
      isOn: this.#levels.includes(level),
      act: () => {
        this.#levels = flipped(this.#levels, level);
        this.#tell();
      },
    }));
  }

  #streamChoices(): readonly Choice[] {
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
