import type { LogExtent } from '../../protocol.ts';
import { make } from '../dom.ts';
import type { PageStrings } from '../pageStrings.ts';

/** What stands above the first row: where the log begins, or the way further back. */
export class ListHeader {
  readonly #cell = make('span', { attributes: { role: 'gridcell' } });
  readonly element = make('div', {
    class: 'head',
    attributes: { role: 'row' },
    children: [this.#cell],
  });
  readonly #strings: PageStrings;
  readonly #onOlder: () => void;
  #current = '';

  constructor(words: PageStrings, onOlder: () => void) {
    this.#strings = words;
    this.#onOlder = onOlder;
  }

  /** Says what holds now. */
  show(shape: LogExtent): void {
    const state = [shape.isReadingOlder, shape.isStart, shape.droppedCount, shape.rowCount === 0];
    const key = JSON.stringify([...state, shape.isFiltered]);
    if (key === this.#current) return;
    this.#current = key;
    this.#cell.replaceChildren(...this.#parts(shape));
  }

  #parts(shape: LogExtent): Node[] {
    const words = this.#strings;
    if (shape.isReadingOlder) {
      return [make('span', { class: 'codicon-loading spin' }), text(words.get('readingOlder'))];
    }
    const dropped = shape.droppedCount;
    if (dropped > 0) return [text(words.get('dropped', words.formatCount(dropped)))];
    if (!shape.isStart) return [...this.#empty(shape), this.#olderButton()];
    return shape.rowCount > 0 ? [text(words.get('beginning'))] : this.#empty(shape);
  }

  #empty({ rowCount, isFiltered }: LogExtent): Node[] {
    if (rowCount > 0) return [];
    return [text(this.#strings.get(isFiltered ? 'emptyFiltered' : 'empty'))];
  }

  #olderButton(): HTMLElement {
    const button = make('button', {
      class: 'text-button',
      text: this.#strings.get('readOlder'),
      attributes: { type: 'button' },
    });
    button.addEventListener('click', this.#onOlder);
    return button;
  }
}

function text(words: string): HTMLElement {
  return make('span', { text: words });
}
