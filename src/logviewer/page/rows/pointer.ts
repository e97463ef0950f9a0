import type { Row, RowPoint } from '../../protocol.ts';
import type { RowList } from './rowList.ts';
import type { Cursor } from './cursor.ts';
import type { TextSelection } from './textSelection.ts';
import { characterAt, contentOf, wordAt } from './textGeometry.ts';
import { rowText } from './drawRow.ts';

/** Selects text with the mouse across all rows, rendered or not. Touch input scrolls as usual. */
export class Pointer {
  readonly #parts: PointerOptions;
  #down: { readonly x: number; readonly y: number } | undefined;
  #last = { x: 0, y: 0 };
  #hasMoved = false;
  #scrolling = 0;

  constructor(parts: PointerOptions) {
    this.#parts = parts;
    const { element } = parts.list;
    element.addEventListener('mousedown', this.#start);
    window.addEventListener('mousemove', this.#move);
    window.addEventListener('mouseup', this.#end);
    element.addEventListener('click', this.#click);
  }

  readonly #start = (event: MouseEvent): void => {
    const { list } = this.#parts;
    // Clicks on the scroll bars are not handled here.
    const box = list.element;
    const { left, top } = box.getBoundingClientRect();
    const isOnBar =
      event.clientX - left > box.clientWidth || event.clientY - top > box.clientHeight;
    if (event.button !== 0 || isOnBar) return;
    // The browser's own selection covers only rendered rows.
    event.preventDefault();
    list.element.focus({ preventScroll: true });
    this.#down = { x: event.clientX, y: event.clientY };
    this.#last = this.#down;
    this.#hasMoved = false;
    const hit = this.#hit(event.clientX, event.clientY);
    if (hit) this.#press(hit, event);
  };

  #press({ index, row, point }: Hit, event: MouseEvent): void {
    const { selection, cursor, onSelect } = this.#parts;
    const whole = rowText(row);
    if (event.detail > 1) {
      const word = event.detail === 2 ? wordAt(whole, point.character) : undefined;
      const { start, end } = word ?? { start: 0, end: whole.length };
      selection.select({ id: row.id, character: start }, { id: row.id, character: end });
    } else if (event.shiftKey) selection.extend(point);
    else selection.start(point);
    cursor.set(index);
    onSelect();
  }

  readonly #move = (event: MouseEvent): void => {
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
    if (this.#overshoot() === 0 || this.#scrolling !== 0) return;
    this.#scrolling = requestAnimationFrame(this.#scroll);
  };

  #extend(): void {
    const hit = this.#hit(this.#last.x, this.#last.y);
    if (!hit) return;
    this.#parts.selection.extend(hit.point);
    this.#parts.onSelect();
  }

  /** Returns how many pixels the pointer is above (negative) or below the log. */
  #overshoot(): number {
    const box = this.#parts.list.element.getBoundingClientRect();
    const { y } = this.#last;
    return y < box.top ? y - box.top : Math.max(0, y - box.bottom);
  }

  readonly #scroll = (): void => {
    this.#scrolling = 0;
    const far = this.#overshoot();
    if (!this.#down || far === 0) return;
    this.#parts.list.element.scrollTop += Math.sign(far) * Math.min(200, 8 + Math.abs(far) / 2);
    this.#extend();
    this.#scrolling = requestAnimationFrame(this.#scroll);
  };

  readonly #end = (): void => {
    this.#down = undefined;
  };

  readonly #click = (event: MouseEvent): void => {
    const { target, detail } = event;
    // A click by keyboard or script has detail 0, and no position.
    const isOfDrag = detail > 0 && this.#hasMoved;
    if (!(target instanceof Element) || isOfDrag || detail > 1) return;
    const index = Number(target.closest('.row')?.getAttribute('aria-rowindex') ?? 0) - 1;
    if (index >= 0) this.#parts.onClick(target, index);
  };

  /** Returns the row and character at, or nearest to, a point. */
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

export interface PointerOptions {
  readonly list: RowList;
  readonly selection: TextSelection;
  readonly cursor: Cursor;
  readonly rowAt: (index: number) => Row | undefined;
  /** Called when the selection has changed. */
  readonly onSelect: () => void;
  /** Called for a click without a drag, wherever in a row: on a link, a twistie, or text. */
  readonly onClick: (target: Element, index: number) => void;
}

interface Hit {
  readonly index: number;
  readonly row: Row;
  readonly point: RowPoint;
}

/** Distance in pixels that the mouse may move during a click. */
const CLICK_SLACK = 4;
