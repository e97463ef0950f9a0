import { firstIndex } from '../../../base/firstIndex.ts';
import type { Row } from '../../protocol.ts';
import { make } from '../dom.ts';
import { LINE_END, type TextSelection } from './textSelection.ts';
import type { ScrollExtent, ScrollPosition } from './scrollPosition.ts';
import { contentOf, rangeOf } from './textGeometry.ts';

/** The rendered lines: those in view and some around them, without gaps. */
export class RenderedRows {
  readonly element = make('div', { class: 'band', attributes: { role: 'rowgroup' } });
  readonly #head: HTMLElement;
  readonly #draw: DrawRowAt;
  #first = 0;
  #lines: HTMLElement[] = [];
  #width = 0;

  /** @param head shown above the first row, as row -1. */
  constructor(head: HTMLElement, draw: DrawRowAt) {
    this.#head = head;
    this.#draw = draw;
  }

  /** First rendered row; -1 for the head. */
  get first(): number {
    return this.#first;
  }

  /** Row after the last rendered row. */
  get end(): number {
    return this.#first + this.#lines.length;
  }

  /** Height in pixels. Forces a layout. */
  get height(): number {
    return this.element.offsetHeight;
  }

  /** Returns the element of a row; undefined if it is not rendered. */
  line(row: number): HTMLElement | undefined {
    return this.#lines[row - this.#first];
  }

  /** Yields all rendered rows with their elements, without the head. */
  *lines(): Iterable<readonly [number, HTMLElement]> {
    for (const [offset, line] of this.#lines.entries()) {
      if (line !== this.#head) yield [this.#first + offset, line];
    }
  }

  /** Renders the rows [first, end). Lines that are already rendered are kept. */
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

  redraw(row: number): void {
    const line = this.line(row);
    if (!line || line === this.#head) return;
    this.#number(line, row);
    this.#draw(line, row);
  }

  /** Renumbers the lines after rows were inserted before the first row or, if `by` is negative, removed there. */
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

  /** Keeps the largest width so far, so that the horizontal scroll bar does not jump while scrolling. */
  keepWidth(isKept: boolean): void {
    const width = isKept ? Math.max(this.#width, this.element.offsetWidth) : 0;
    if (width === this.#width) return;
    this.#width = width;
    this.element.style.minWidth = width > 0 ? `max(100%, ${width}px)` : '';
  }

  /** Returns the position that is `edge` pixels below the top of the first line. */
  placeAt(edge: number): ScrollPosition {
    const topOf = (at: number): number => this.line(at)?.offsetTop ?? 0;
    const row = firstIndex(this.first + 1, this.end, (at) => topOf(at) > edge) - 1;
    return { row, offset: edge - topOf(row) };
  }

  /** Returns the position that is `pixels` further down. Rows that are not rendered count with the average height. */
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

/** Draws a row into a line, replacing its content. */
export type DrawRowAt = (line: HTMLElement, index: number) => void;

/** Shows the selection on the rendered rows without changing their DOM text. */
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
    line.ariaSelected = part ? 'true' : null;
    const content = part && !isWhole ? contentOf(line) : undefined;
    if (part && content) ranges.push(rangeOf(content, part.start, part.end));
  }
  // Browsers without the CSS Custom Highlight API show only whole selected rows.
  if (!('highlights' in CSS)) return;
  if (ranges.length > 0) CSS.highlights.set('selection', new Highlight(...ranges));
  else CSS.highlights.delete('selection');
}
