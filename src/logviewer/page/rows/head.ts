import type { Shape } from '../../protocol.ts';
import { make } from '../dom.ts';
import type { Words } from '../words.ts';

/** What stands above the first row: where the log begins, or the way further back. */
export class Head {
  readonly #cell = make('span', { attributes: { role: 'gridcell' } });
  readonly element = make('div', {
    class: 'head',
    attributes: { role: 'row' },
    children: [this.#cell],
  });
  readonly #words: Words;
  readonly #onOlder: () => void;
  #shown = '';

  constructor(words: Words, onOlder: () => void) {
    this.#words = words;
    this.#onOlder = onOlder;
  }

  /** Says what holds now. */
  show(shape: Shape): void {
    const state = [shape.isReadingOlder, shape.isStart, shape.droppedCount, shape.rowCount === 0];
    const key = JSON.stringify([...state, shape.isFiltered]);
    if (key === this.#shown) return;
    this.#shown = key;
    this.#cell.replaceChildren(...this.#parts(shape));
  }

  #parts(shape: Shape): Node[] {
    const words = this.#words;
    if (shape.isReadingOlder) {
      return [make('span', { class: 'codicon-loading spin' }), text(words.say('readingOlder'))];
    }
    const dropped = shape.droppedCount;
    if (dropped > 0) return [text(words.say('dropped', words.count(dropped)))];
    if (!shape.isStart) return [...this.#empty(shape), this.#olderButton()];
    return shape.rowCount > 0 ? [text(words.say('beginning'))] : this.#empty(shape);
  }

  #empty({ rowCount, isFiltered }: Shape): Node[] {
    if (rowCount > 0) return [];
    return [text(this.#words.say(isFiltered ? 'emptyFiltered' : 'empty'))];
  }

  #olderButton(): HTMLElement {
    const button = make('button', {
      class: 'text-button',
      text: this.#words.say('readOlder'),
      attributes: { type: 'button' },
    });
    button.addEventListener('click', this.#onOlder);
    return button;
  }
}

function text(words: string): HTMLElement {
  return make('span', { text: words });
}
