import type { Row, RowPoint, RowSpan } from '../../protocol.ts';

/** The selected text, by row IDs: independent of scrolling, rendering, and loading. */
export class TextSelection {
  #anchor: RowPoint | undefined;
  #focus: RowPoint | undefined;
  #isWhole = false;

  /** Starts an empty selection. */
  start(point: RowPoint): void {
    this.select(point, point);
  }

  extend(point: RowPoint): void {
    this.#anchor ??= point;
    this.#focus = point;
    this.#isWhole = false;
  }

  /** Extends the selection to whole rows, from its start, or else from row `start`, to row `id`. */
  extendRows(start: number, id: number): void {
    this.#anchor ??= { id: start, character: 0 };
    this.#focus = { id, character: 0 };
    this.#isWhole = true;
  }

  all(): void {
    this.select({ id: FIRST_ID, character: 0 }, { id: LAST_ID, character: LINE_END });
  }

  select(from: RowPoint, to: RowPoint): void {
    this.#anchor = from;
    this.#focus = to;
    this.#isWhole = false;
  }

  clear(): void {
    this.#anchor = undefined;
    this.#focus = undefined;
  }

  /** The selected range; undefined if it is empty. */
  get span(): RowSpan | undefined {
    const anchor = this.#anchor;
    const focus = this.#focus;
    if (!anchor || !focus) return undefined;
    const isForward =
      anchor.id < focus.id || (anchor.id === focus.id && anchor.character <= focus.character);
    const [from, to] = isForward ? [anchor, focus] : [focus, anchor];
    if (this.#isWhole) {
      return { from: { id: from.id, character: 0 }, to: { id: to.id, character: LINE_END } };
    }
    return from.id === to.id && from.character === to.character ? undefined : { from, to };
  }

  /**
   * Returns the selected characters of a row, [start, end); undefined if neither a character nor the line end
   * is selected.
   */
  partOf(row: Row): { readonly start: number; readonly end: number } | undefined {
    const { span } = this;
    if (!span || row.id < span.from.id || row.id > span.to.id) return undefined;
    return {
      start: row.id === span.from.id ? span.from.character : 0,
      end: row.id === span.to.id ? span.to.character : LINE_END,
    };
  }
}

/** Position after the end of any line. */
export const LINE_END = Number.MAX_SAFE_INTEGER;

/** IDs before the first and after the last row. */
export const FIRST_ID = Number.MIN_SAFE_INTEGER;
export const LAST_ID = Number.MAX_SAFE_INTEGER;
