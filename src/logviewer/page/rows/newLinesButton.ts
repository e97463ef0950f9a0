import { make } from '../dom.ts';
import type { PageStrings } from '../pageStrings.ts';

/** The button that counts the lines that came below the view, and leads to them. */
export class NewLinesButton {
  readonly element: HTMLButtonElement;
  readonly #strings: PageStrings;
  readonly #text = make('span');
  #seen = 0;
  #count = 0;

  constructor(words: PageStrings, onClick: () => void) {
    this.#strings = words;
    const icon = make('span', {
      class: 'codicon-arrow-down',
      attributes: { 'aria-hidden': 'true' },
    });
    this.element = make('button', {
      class: 'new-lines',
      title: words.get('toEnd'),
      attributes: { type: 'button' },
      children: [icon, this.#text],
    });
    this.element.hidden = true;
    this.element.addEventListener('click', onClick);
  }

  /** What it says; undefined where it is not shown. */
  get text(): string | undefined {
    if (this.#count <= 0) return undefined;
    const name = this.#count === 1 ? 'newLine' : 'newLines';
    return this.#strings.get(name, this.#strings.formatCount(this.#count));
  }

  /** All rows up to here count as seen. */
  seen(rowCount: number): void {
    this.#seen = rowCount;
    this.update(rowCount);
  }

  /** So many rows were put before those that were seen. */
  shift(by: number): void {
    this.#seen += by;
  }

  /** There are so many rows now; gives whether there are new ones. */
  update(rowCount: number): boolean {
    const count = Math.max(0, rowCount - this.#seen);
    if (count === this.#count) return false;
    this.#count = count;
    this.element.hidden = count === 0;
    this.#text.textContent = this.text ?? '';
    return count > 0;
  }
}
