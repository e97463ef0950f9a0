import type { Row } from '../../protocol.ts';

/** What is selected, by rows' ids: it stands whatever is scrolled, shown or loaded. */
export class TextSelection {
  #anchor: SelectionPoint | undefined;
  #focus: SelectionPoint | undefined;
  #isWhole = false;

  /** Nothing is selected from here on, until it is extended. */
  start(place: SelectionPoint): void {
    this.#anchor = place;
    this.#focus = place;
    this.#isWhole = false;
  }

  /** From where it began to here. */
  extend(place: SelectionPoint): void {
    this.#anchor ??= place;
    this.#focus = place;
    this.#isWhole = false;
  }

  /** Whole rows from where it began, else from `start`, to that one. */
  extendRows(start: number, id: number): void {
    this.#anchor ??= { id: start, character: 0 };
    this.#focus = { id, character: 0 };
    this.#isWhole = true;
  }

  /** All rows. */
  all(): void {
    this.select({ id: FIRST_ID, character: 0 }, { id: LAST_ID, character: LINE_END });
  }

  select(from: SelectionPoint, to: SelectionPoint): void {
    this.#anchor = from;
    this.#focus = to;
    this.#isWhole = false;
  }

  clear(): void {
    this.#anchor = undefined;
    this.#focus = undefined;
  }

  /** What is selected; undefined where that is not one character. */
  get span(): SelectionSpan | undefined {
    const [anchor, focus] = [this.#anchor, this.#focus];
    if (!anchor || !focus) return undefined;
    const isForward =
      anchor.id < focus.id || (anchor.id === focus.id && anchor.character <= focus.character);
    const [from, to] = isForward ? [anchor, focus] : [focus, anchor];
    if (this.#isWhole) {
      return { from: { id: from.id, character: 0 }, to: { id: to.id, character: LINE_END } };
    }
    return from.id === to.id && from.character === to.character ? undefined : { from, to };
  }

  /** The selected characters of a row, [start, end); undefined where none is, not even the end of the line. */
  partOf(row: Row): { readonly start: number; readonly end: number } | undefined {
    const { span } = this;
    if (!span || row.id < span.from.id || row.id > span.to.id) return undefined;
    return {
      start: row.id === span.from.id ? span.from.character : 0,
      end: row.id === span.to.id ? span.to.character : LINE_END,
    };
  }
}

/** A place in the text of a row. */
export interface SelectionPoint {
  readonly id: number;
  readonly character: number;
}

/** From the first place to the last, in the order of the rows. */
export interface SelectionSpan {
  readonly from: SelectionPoint;
  readonly to: SelectionPoint;
}

/** Past the end of any line. */
export const LINE_END = Number.MAX_SAFE_INTEGER;

/** Before the first and behind the last row. */
export const FIRST_ID = Number.MIN_SAFE_INTEGER;
export const LAST_ID = Number.MAX_SAFE_INTEGER;
