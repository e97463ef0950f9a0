import type { Row } from '../../protocol.ts';
import type { RowList } from '../rows/rowList.ts';
import type { TextSelection, SelectionPoint } from './textSelection.ts';
import { characterAt, contentOf, wordAt } from '../rows/textGeometry.ts';
import { rowText } from '../rows/drawRow.ts';

/** Selects text by the mouse over all rows there are, shown or not. A finger scrolls, as everywhere. */
export class Pointer {
  readonly #parts: PointerOptions;
  #down: { readonly x: number; readonly y: number } | undefined;
  #last = { x: 0, y: 0 };
  #hasMoved = false;
  #scrolling = 0;

  constructor(parts: PointerOptions) {
    this.#parts = parts;
    const { element } = parts.list;
    element.addEventListener('mousedown', (event) => {
      this.#start(event);
    });
    window.addEventListener('mousemove', (event) => {
      this.#move(event);
    });
    window.addEventListener('mouseup', () => {
      this.#end();
    });
    element.addEventListener('click', (event) => {
      this.#click(event);
    });
  }

  #start(event: MouseEvent): void {
    const { list } = this.#parts;
    // The bars of the scroller are its own.
    const box = list.element;
    const { left, top } = box.getBoundingClientRect();
    const isOnBar =
      event.clientX - left > box.clientWidth || event.clientY - top > box.clientHeight;
    if (event.button !== 0 || isOnBar) return;
    // The browser's own selection knows only the rows that are laid out.
    event.preventDefault();
    list.element.focus({ preventScroll: true });
    this.#down = { x: event.clientX, y: event.clientY };
    this.#last = this.#down;
    this.#hasMoved = false;
    const hit = this.#hit(event.clientX, event.clientY);
    if (hit) this.#press(hit, event);
  }

  #press({ index, row, point }: Hit, event: MouseEvent): void {
    const { selection, onSelect, onRow } = this.#parts;
    const whole = rowText(row);
    if (event.detail > 1) {
      const word = event.detail === 2 ? wordAt(whole, point.character) : undefined;
      const { start, end } = word ?? { start: 0, end: whole.length };
      selection.select({ id: row.id, character: start }, { id: row.id, character: end });
    } else if (event.shiftKey) selection.extend(point);
    else selection.start(point);
    onRow(index);
    onSelect();
  }

  #move(event: MouseEvent): void {
    if (!this.#down) return;
    if ((event.buttons & 1) === 0) {
      this.#end();
      return;
    }
    const { clientX: x, clientY: y } = event;
    this.#last = { x, y };
    const isFar = Math.hypot(x - this.#down.x, y - this.#down.y) > CLICK_SLACK;
    this.#hasMoved ||= isFar;
    if (!this.#hasMoved) return;
    this.#extend();
    if (this.#overshoot() !== 0 && this.#scrolling === 0) this.#scrollSoon();
  }

  #scrollSoon(): void {
    this.#scrolling = requestAnimationFrame(() => {
      this.#scroll();
    });
  }

  #extend(): void {
    const hit = this.#hit(this.#last.x, this.#last.y);
    if (!hit) return;
    this.#parts.selection.extend(hit.point);
    this.#parts.onSelect();
  }

  /** How far the mouse is above (negative) or below the rows. */
  #overshoot(): number {
    const box = this.#parts.list.element.getBoundingClientRect();
    const { y } = this.#last;
    return y < box.top ? y - box.top : Math.max(0, y - box.bottom);
  }

  #scroll(): void {
    this.#scrolling = 0;
    const far = this.#overshoot();
    if (!this.#down || far === 0) return;
    this.#parts.list.element.scrollTop += Math.sign(far) * Math.min(200, 8 + Math.abs(far) / 2);
    this.#extend();
    this.#scrollSoon();
  }

  #end(): void {
    this.#down = undefined;
  }

  #click(event: MouseEvent): void {
    const { target, detail } = event;
    // A click by key or program has no detail, and no place either.
    const isOfDrag = detail > 0 && this.#hasMoved;
    if (!(target instanceof Element) || isOfDrag || detail > 1) return;
    const index = Number(target.closest('.row')?.getAttribute('aria-rowindex') ?? 0) - 1;
    if (index >= 0) this.#parts.onClick(target, index);
  }

  /** The row and character at, or nearest to, a point. */
  #hit(x: number, y: number): Hit | undefined {
    const { list, rowAt } = this.#parts;
    const box = list.element.getBoundingClientRect();
    const inside = Math.min(Math.max(y, box.top + 1), box.top + list.element.clientHeight - 2);
    for (const [index, line] of list.rendered.lines()) {
      if (line.getBoundingClientRect().bottom <= inside) continue;
      const row = rowAt(index);
      const content = contentOf(line);
      if (!row || !content) return undefined;
      const character = characterAt(content, x, inside);
      return { index, row, point: { id: row.id, character } };
    }
    return undefined;
  }
}

/** What the mouse works on. */
export interface PointerOptions {
  readonly list: RowList;
  readonly selection: TextSelection;
  readonly rowAt: (index: number) => Row | undefined;
  /** The selection has changed. */
  readonly onSelect: () => void;
  /** A row was clicked. */
  readonly onRow: (index: number) => void;
  /** A click without a drag: on a link, a twistie or nothing. */
  readonly onClick: (target: Element, index: number) => void;
}

interface Hit {
  readonly index: number;
  readonly row: Row;
  readonly point: SelectionPoint;
}

/** Pixels the mouse may move and still click. */
const CLICK_SLACK = 4;
