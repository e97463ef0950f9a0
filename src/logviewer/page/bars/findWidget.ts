import type { FindState, ViewerQuery } from '../../protocol.ts';
import { iconButton, make } from '../dom.ts';
import { QueryInput } from './queryInput.ts';
import type { PageStrings } from '../pageStrings.ts';

/** The editor's find widget, over the log, and the marks of what is found beside the scroll bar. */
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
    this.#query = new QueryInput(strings.get('find'), strings, () => {
      this.#ask();
    });
    this.#back = make('button', { class: 'text-button', attributes: { type: 'button' } });
    this.#back.addEventListener('click', () => {
      parts.onSearchBack(!this.#isSearchingBack);
    });
    this.element = make('div', {
      class: 'find',
      attributes: { role: 'search', 'aria-label': strings.get('find') },
      children: [this.#firstLine(), make('div', { children: [this.#back, this.#horizon] })],
    });
    this.element.hidden = true;
    this.element.addEventListener('keydown', (event) => {
      this.#onKey(event);
    });
    this.show(undefined);
  }

  /** Whether it is there. */
  get isOpen(): boolean {
    return !this.element.hidden;
  }

  /** The words that are looked for. */
  get query(): ViewerQuery | undefined {
    return this.isOpen ? this.#query.query : undefined;
  }

  /** Shows it, ready to type; `pattern` takes the place of what stood in it. */
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

  /** Shows it with what stood in it before the page was reloaded. */
  restore(query: ViewerQuery): void {
    this.#query.query = query;
    this.element.hidden = false;
    this.#query.input.focus();
    this.#parts.onToggle(true);
    this.show(undefined);
  }

  /** Hides it, and with it all marks. */
  close(): void {
    if (!this.isOpen) return;
    this.element.hidden = true;
    this.#showMarks([]);
    this.#parts.onQuery(undefined);
    this.#parts.onToggle(false);
  }

  /** Shows where the search stands; undefined: nothing is searched. */
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

  /** @param places in thousandths of the rows. */
  #showMarks(places: readonly number[]): void {
    const marks = places.slice(0, 1000).map((place) => {
      const mark = make('span');
      mark.style.top = `${Math.min(1000, Math.max(0, place)) / 10}%`;
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
      iconButton('arrow-up', named('previous', 'Shift+Enter'), () => {
        onStep(-1);
      }),
      iconButton('arrow-down', named('next', 'Enter'), () => {
        onStep(1);
      }),
      iconButton('close', named('close', 'Escape'), () => {
        this.close();
      }),
    ];
    return make('div', { children: [this.#query.element, this.#count, ...buttons] });
  }

  #ask(): void {
    this.#parts.onQuery(this.query);
    if (!this.query) this.show(undefined);
  }

  #onKey(event: KeyboardEvent): void {
    const isInInput = event.target === this.#query.input;
    if (event.key === 'Escape') this.close();
    else if (event.key === 'Enter' && isInInput) this.#parts.onStep(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/** What the find widget asks for. */
export interface FindWidgetOptions {
  readonly strings: PageStrings;
  readonly onQuery: (query: ViewerQuery | undefined) => void;
  readonly onStep: (step: 1 | -1) => void;
  readonly onSearchBack: (isOn: boolean) => void;
  /** It is shown or hidden now; hidden by the person, the focus goes back to the log. */
  readonly onToggle: (isOpen: boolean) => void;
}
