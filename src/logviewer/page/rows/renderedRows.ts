import type { Row } from '../../protocol.ts';
import { make } from '../dom.ts';
import { LINE_END, type TextSelection } from '../input/textSelection.ts';
import type { ScrollExtent, ScrollPosition } from './scrollPosition.ts';
import { contentOf, rangeOf } from './textGeometry.ts';

/** The lines that are laid out: those in view and some around. They follow one another without a gap. */
export class RenderedRows {
  readonly element = make('div', { class: 'band', attributes: { role: 'rowgroup' } });
  readonly #head: HTMLElement;
  readonly #draw: DrawRowAt;
  #first = 0;
  #lines: HTMLElement[] = [];
  #width = 0;

  /** @param head stands above the first row, as row −1 */
  constructor(head: HTMLElement, draw: DrawRowAt) {
    this.#head = head;
    this.#draw = draw;
  }

  /** The first row there is; −1 for the head. */
  get first(): number {
    return this.#first;
  }

  /** The row after the last there is. */
  get end(): number {
    return this.#first + this.#lines.length;
  }

  /** Pixels; asks for a layout. */
  get height(): number {
    return this.element.offsetHeight;
  }

  /** The line of a row; undefined where it is not laid out. */
  line(row: number): HTMLElement | undefined {
    return this.#lines[row - this.#first];
  }

  /** All lines of rows, with their rows. */
  *lines(): Iterable<readonly [number, HTMLElement]> {
    for (const [offset, line] of this.#lines.entries()) {
      if (line !== this.#head) yield [this.#first + offset, line];
    }
  }

  /** Lays out these rows, [first, end); lines that were there already stay as they are. */
  show(first: number, end: number): void {
    const spare: HTMLElement[] = [];
    const kept = this.#part(first, end, spare);
    for (const line of spare) line.remove();
    const drawn: number[] = [];
    this.#lines = Array.from({ length: Math.max(0, end - first) }, (_, offset) => {
      const row = first + offset;
      const line = kept.get(row) ?? (row < 0 ? this.#head : (spare.pop() ?? make('div')));
      if (!kept.has(row) && row >= 0) drawn.push(row);
      return line;
    });
    this.#first = first;
    for (const row of drawn) this.redraw(row);
    this.#place();
  }

  /** Draws a row anew if it is laid out. */
  redraw(row: number): void {
    const line = this.line(row);
    if (!line || line === this.#head) return;
    this.#number(line, row);
    this.#draw(line, row);
  }

  /** Rows were put before the first, or, below zero, taken away there: the lines stay and have other numbers now. */
  renumber(by: number): void {
    if (this.#lines[0] === this.#head) {
      this.#lines.shift();
      this.#head.remove();
      this.#first += 1;
    }
    this.#first += by;
    const gone = this.#lines.splice(0, Math.max(0, -this.#first));
    for (const line of gone) line.remove();
    this.#first += gone.length;
    for (const [row, line] of this.lines()) this.#number(line, row);
  }

  /** Keeps the widest there was, so that scrolling does not move the scroll bar below. */
  keepWidth(isKept: boolean): void {
    const width = isKept ? Math.max(this.#width, this.element.offsetWidth) : 0;
    if (width === this.#width) return;
    this.#width = width;
    this.element.style.minWidth = width > 0 ? `max(100%, ${width}px)` : '';
  }

  /** What is so many pixels below the top of the first line. */
  placeAt(edge: number): ScrollPosition {
    let low = this.first;
    let high = this.end - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.line(middle)?.offsetTop ?? 0) <= edge) low = middle;
      else high = middle - 1;
    }
    return { row: low, offset: edge - (this.line(low)?.offsetTop ?? 0) };
  }

  /** The place so many pixels further down; rows that are not laid out count with the average. */
  moved(
    { row, offset }: ScrollPosition,
    pixels: number,
    { count, average }: ScrollExtent,
  ): ScrollPosition {
    const heightOf = (at: number) => this.line(at)?.offsetHeight ?? average;
    let at = row;
    let left = offset + pixels;
    while (left < 0 && at > -1) left += heightOf(--at);
    while (at < count && left >= heightOf(at)) left -= heightOf(at++);
    return { row: at, offset: left };
  }

  #part(first: number, end: number, spare: HTMLElement[]): Map<number, HTMLElement> {
    const kept = new Map<number, HTMLElement>();
    for (const [offset, line] of this.#lines.entries()) {
      const row = this.#first + offset;
      if (row >= first && row < end) kept.set(row, line);
      else if (line === this.#head) line.remove();
      else spare.push(line);
    }
    return kept;
  }

  #place(): void {
    let next = this.element.firstChild;
    for (const line of this.#lines) {
      if (line === next) next = next.nextSibling;
      else this.element.insertBefore(line, next);
    }
  }

  #number(line: HTMLElement, row: number): void {
    line.id = `line-${row}`;
    line.setAttribute('role', 'row');
    line.setAttribute('aria-level', '1');
    line.setAttribute('aria-rowindex', String(row + 1));
  }
}

/** Draws a row into a line; clears what was there. */
export type DrawRowAt = (line: HTMLElement, index: number) => void;

/** Draws the selection on the rows that are laid out, without touching their text. */
export function paintSelection(
  band: RenderedRows,
  selection: TextSelection,
  rowAt: (index: number) => Row | undefined,
): void {
  const ranges: Range[] = [];
  for (const [index, line] of band.lines()) {
    const row = rowAt(index);
    const part = row && selection.partOf(row);
    const isWhole = part?.start === 0 && part.end === LINE_END;
    if (line.classList.contains('selected') !== isWhole) line.classList.toggle('selected', isWhole);
    if (!row) continue;
    if (part) line.setAttribute('aria-selected', 'true');
    else line.removeAttribute('aria-selected');
    const content = part && !isWhole ? contentOf(line) : undefined;
    if (part && content) ranges.push(rangeOf(content, part.start, part.end));
  }
  // A browser that is too old for it shows whole rows only.
  if (!('highlights' in CSS)) return;
  if (ranges.length > 0) CSS.highlights.set('selection', new Highlight(...ranges));
  else CSS.highlights.delete('selection');
}
