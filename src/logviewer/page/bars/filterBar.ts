import { LEVELS } from '../../../logs/text/level.ts';
import { EMPTY_FILTER, type ViewerFilter, type LogExtent } from '../../protocol.ts';
import { iconButton, make } from '../dom.ts';
import { makeMenuButton, type MenuItem } from './menu.ts';
import { QueryInput } from './queryInput.ts';
import type { PageStrings } from '../pageStrings.ts';

const LEVEL_CHOICES = [...LEVELS.filter((level) => level !== 'none'), 'none'] as const;
const STREAMS = ['stdout', 'stderr'] as const;

/** The filter bar: selects which lines are shown. */
export class FilterBar {
  readonly element: HTMLElement;
  readonly #strings: PageStrings;
  readonly #onFilter: (filter: ViewerFilter) => void;
  readonly #include: QueryInput;
  readonly #exclude: QueryInput;
  readonly #context: HTMLInputElement;
  readonly #levelButton = make('button', { class: 'text-button drop' });
  readonly #streamButton = make('button', { class: 'text-button drop' });
  readonly #count = make('span', { class: 'count', attributes: { role: 'status' } });
  #counted = '';
  #problem: string | undefined;
  #levels: ViewerFilter['levels'] = [];
  #streams: ViewerFilter['streams'] = [];

  constructor(words: PageStrings, onFilter: (filter: ViewerFilter) => void) {
    this.#strings = words;
    this.#onFilter = onFilter;
    this.#include = new QueryInput(words.get('include'), words, this.#notify);
    this.#exclude = new QueryInput(words.get('exclude'), words, this.#notify);
    this.#context = make('input', {
      attributes: { type: 'number', min: '0', max: '99', 'aria-label': words.get('contextTitle') },
    });
    this.#context.addEventListener('input', this.#notify);
    // While typing, "-" and "1." are on their way to a number.
    this.#context.addEventListener('change', () => {
      this.#context.value = String(this.filter.context);
    });
    makeMenuButton(this.#levelButton, () => this.#levelChoices());
    makeMenuButton(this.#streamButton, () => this.#streamChoices());
    this.element = this.#build();
    this.element.hidden = true;
    this.filter = EMPTY_FILTER;
  }

  /** The filter as entered. */
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

  /** Whether the filter can hide lines. */
  get isOn(): boolean {
    const { include, exclude, levels, streams } = this.filter;
    return Boolean(include ?? exclude) || levels.length > 0 || streams.length > 0;
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  /** Shows or hides the bar. When shown, it takes the focus. */
  toggle(isOpen: boolean): void {
    this.element.hidden = !isOpen;
    if (isOpen) this.#include.input.focus();
  }

  /** Shows how many of all lines are left, if a filter is on. */
  count({ isFiltered, rowCount, lineCount }: LogExtent): void {
    const words = this.#strings;
    this.#counted = isFiltered
      ? words.get('rowsOf', words.formatCount(rowCount), words.formatCount(lineCount))
      : '';
    this.#showCount();
  }

  #showCount(): void {
    this.#count.textContent = this.#problem ?? this.#counted;
  }

  #build(): HTMLElement {
    const words = this.#strings;
    const clear = iconButton('clear-all', words.get('clearFilter'), () => {
      this.filter = EMPTY_FILTER;
      this.#notify();
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

  /** An invalid expression stays in its input, which says why; the lines stay as they are. */
  readonly #notify = (): void => {
    this.#label();
    const [problem] = [this.#include.check(), this.#exclude.check()].filter(
      (one) => one !== undefined,
    );
    this.#problem = problem;
    this.#showCount();
    if (problem === undefined) this.#onFilter(this.filter);
  };

  #label(): void {
    const words = this.#strings;
    const levels = this.#levels.map((level) => words.get(`level.${level}`));
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
    return LEVEL_CHOICES.map((level) => ({
      label: this.#strings.get(`level.${level}`),
      isOn: this.#levels.includes(level),
      act: () => {
        this.#levels = flipped(this.#levels, level);
        this.#notify();
      },
    }));
  }

  #streamChoices(): readonly MenuItem[] {
    return STREAMS.map((stream) => ({
      label: stream,
      isOn: this.#streams.includes(stream),
      act: () => {
        this.#streams = flipped(this.#streams, stream);
        this.#notify();
      },
    }));
  }
}

function flipped<T>(list: readonly T[], one: T): readonly T[] {
  return list.includes(one) ? list.filter((other) => other !== one) : [...list, one];
}
