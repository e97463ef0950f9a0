import type { FindState, ToHost, ViewerQuery } from '../../protocol.ts';
import { iconButton, make } from '../dom.ts';
import { QueryInput } from './queryInput.ts';
import type { PageStrings } from '../pageStrings.ts';

/** A find widget like that of VS Code's editor, with marks for the matches beside the scroll bar. */
export class FindWidget {
  readonly element: HTMLElement;
  readonly marks = make('div', { class: 'marks', attributes: { 'aria-hidden': 'true' } });
  readonly #parts: FindWidgetOptions;
  readonly #query: QueryInput;
  readonly #count = make('span', { class: 'count', attributes: { role: 'status' } });
  readonly #horizon = make('span', { class: 'horizon' });
  readonly #back: HTMLButtonElement;
  #isSearchingBack = false;

  constructor(parts: FindWidgetOptions) {
    this.#parts = parts;
    const { strings } = parts;
    this.#query = new QueryInput(strings.get('find'), strings, this.#ask);
    const onClick = (): void => parts.post({ type: 'searchBack', isOn: !this.#isSearchingBack });
    this.#back = make('button', { class: 'text-button', onClick });
    this.element = make('div', {
      class: 'find',
      attributes: { role: 'search', 'aria-label': strings.get('find') },
      children: [this.#firstLine(), make('div', { children: [this.#back, this.#horizon] })],
    });
    this.element.hidden = true;
    this.element.addEventListener('keydown', this.#onKey);
    this.show(undefined);
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  /** The current query; undefined if the widget is hidden or empty. */
  get query(): ViewerQuery | undefined {
    return this.isOpen ? this.#query.query : undefined;
  }

  /** Shows the widget and focuses its input. `pattern` replaces the text of the input. */
  open(pattern?: string): void {
    const isNew = pattern !== undefined && pattern !== this.#query.input.value;
    if (isNew) this.#query.input.value = pattern;
    const wasOpen = this.isOpen;
    this.element.hidden = false;
    this.#query.input.focus();
    this.#query.input.select();
    if (!wasOpen) this.#parts.onToggle(true);
    if (isNew || !wasOpen) this.#ask();
  }

  /** Shows the widget with the query that it had before the page was reloaded. */
  restore(query: ViewerQuery): void {
    this.#query.query = query;
    this.element.hidden = false;
    this.#query.input.focus();
    this.#parts.onToggle(true);
    this.show(undefined);
  }

  /** Hides the widget and all marks. */
  readonly close = (): void => {
    if (!this.isOpen) return;
    this.element.hidden = true;
    this.#showMarks([]);
    this.#parts.onQuery(undefined);
    this.#parts.onToggle(false);
  };

  /** Shows the state of the search; undefined if there is no search. */
  show(find: FindState | undefined): void {
    const { strings: words } = this.#parts;
    const hasWords = this.#query.query !== undefined;
    this.#query.setProblem(hasWords ? find?.problem : undefined);
    this.#count.textContent = hasWords && find ? this.#countText(find) : words.get('noResults');
    this.#count.classList.toggle('none', hasWords && find?.count === 0 && find.isDone);
    this.#isSearchingBack = find?.isSearchingBack ?? false;
    this.#back.textContent = words.get(this.#isSearchingBack ? 'stop' : 'searchBack');
    this.#back.disabled = !hasWords;
    this.#horizon.textContent = find?.horizon ?? '';
    this.#showMarks(this.query && find ? find.marks : []);
  }

  /** @param positions in thousandths of the row count. */
  #showMarks(positions: readonly number[]): void {
    const marks = positions.slice(0, 1000).map((position) => {
      const mark = make('span');
      mark.style.top = `${Math.min(1000, Math.max(0, position)) / 10}%`;
      return mark;
    });
    this.marks.replaceChildren(...marks);
  }

  #countText({ count, current, isDone, problem }: FindState): string {
    const { strings: words } = this.#parts;
    if (problem !== undefined) return problem;
    if (count === 0) return words.get(isDone ? 'noResults' : 'searching');
    const shown = current > 0 ? words.formatCount(current) : '?';
    return words.get(isDone ? 'countOf' : 'countOfSoFar', shown, words.formatCount(count));
  }

  #firstLine(): HTMLElement {
    const { strings, onStep } = this.#parts;
    const named = (name: 'previous' | 'next' | 'close', key: string) =>
      strings.get('withKey', strings.get(name), key);
    const buttons = [
      iconButton('arrow-up', named('previous', 'Shift+Enter'), () => onStep(-1)),
      iconButton('arrow-down', named('next', 'Enter'), () => onStep(1)),
      iconButton('close', named('close', 'Escape'), this.close),
    ];
    return make('div', { children: [this.#query.element, this.#count, ...buttons] });
  }

  readonly #ask = (): void => {
    this.#parts.onQuery(this.query);
    if (!this.query) this.show(undefined);
  };

  readonly #onKey = (event: KeyboardEvent): void => {
    const isInInput = event.target === this.#query.input;
    if (event.key === 'Escape') this.close();
    else if (event.key === 'Enter' && isInInput) this.#parts.onStep(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
}

interface FindWidgetOptions {
  readonly strings: PageStrings;
  readonly onQuery: (query: ViewerQuery | undefined) => void;
  readonly onStep: (step: 1 | -1) => void;
  readonly post: (message: ToHost) => void;
  /** Called when the widget is shown or hidden. When the user hides it, the focus goes back to the log. */
  readonly onToggle: (isOpen: boolean) => void;
}
