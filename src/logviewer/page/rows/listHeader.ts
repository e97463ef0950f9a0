import type { LogExtent, ToHost } from '../../protocol.ts';
import { make } from '../dom.ts';
import type { PageStrings } from '../pageStrings.ts';
import type { RowList } from './rowList.ts';

/** The header above the first row. It shows whether the log begins there, and requests older lines when it is near. */
export class ListHeader {
  readonly #cell = make('span', { attributes: { role: 'gridcell' } });
  readonly element = make('div', {
    class: 'head',
    attributes: { role: 'row' },
    children: [this.#cell],
  });
  readonly #strings: PageStrings;
  readonly #post: (message: ToHost) => void;
  #current = '';
  #hasAsked = false;

  constructor(words: PageStrings, post: (message: ToHost) => void) {
    this.#strings = words;
    this.#post = post;
  }

  show(shape: LogExtent): void {
    const state = [shape.isReadingOlder, shape.isStart, shape.droppedCount, shape.rowCount === 0];
    const key = JSON.stringify([...state, shape.isFiltered]);
    if (key === this.#current) return;
    this.#current = key;
    this.#cell.replaceChildren(...this.#parts(shape));
  }

  /**
   * Requests older lines when the first rows come near, once per approach. A filter that leaves few rows does
   * not trigger reading the whole log.
   */
  check(shape: LogExtent, { isFollowing, page, position }: RowList): void {
    const isNear = isFollowing
      ? !shape.isFiltered && shape.rowCount < page
      : position.row < 2 * page;
    if (!isNear) this.#hasAsked = false;
    const { isStart, isReadingOlder, droppedCount, rowCount } = shape;
    const hasNone = isStart || isReadingOlder || droppedCount > 0 || rowCount === 0;
    if (!isNear || hasNone || this.#hasAsked) return;
    this.#hasAsked = true;
    this.#post({ type: 'older' });
  }

  /** Older lines have arrived, so more may be requested. */
  came(): void {
    this.#hasAsked = false;
  }

  #parts(shape: LogExtent): Node[] {
    const words = this.#strings;
    if (shape.isReadingOlder) {
      return [make('span', { class: 'codicon-loading spin' }), text(words.get('readingOlder'))];
    }
    const dropped = shape.droppedCount;
    if (dropped > 0) return [text(words.get('dropped', words.formatCount(dropped)))];
    if (!shape.isStart) {
      // Older lines may exist, so that there are "no lines" is only known of a filter.
      const note = shape.isFiltered ? this.#empty(shape) : [];
      return [...note, this.#olderButton()];
    }
    return shape.rowCount > 0 ? [text(words.get('beginning'))] : this.#empty(shape);
  }

  #empty({ rowCount, isFiltered }: LogExtent): Node[] {
    if (rowCount > 0) return [];
    return [text(this.#strings.get(isFiltered ? 'emptyFiltered' : 'empty'))];
  }

  #olderButton(): HTMLElement {
    const onClick = (): void => this.#post({ type: 'older' });
    return make('button', { class: 'text-button', text: this.#strings.get('readOlder'), onClick });
  }
}

function text(words: string): HTMLElement {
  return make('span', { text: words });
}
