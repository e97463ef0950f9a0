import type { Row, LogExtent, ToHost } from '../../protocol.ts';
import { RowCache } from './rowCache.ts';

/** Rows fetched beyond those that are laid out. */
const AHEAD = 60;

const NOTHING: LogExtent = {
  generation: 0,
  rowCount: 0,
  lineCount: 0,
  droppedCount: 0,
  isStart: false,
  isReadingOlder: false,
  isFiltered: false,
};

/** Gets rows from the extension: those that are near the view, one request at a time. */
export class RowFeed {
  readonly cache = new RowCache();
  readonly #tell: (message: ToHost) => void;
  #extent = NOTHING;
  #generation = 0;
  #asked: RowRange | undefined;
  #barren: RowRange | undefined;
  #settled = 0;
  #anchor: number | undefined;
  #view: RowRange = { from: 0, to: 0 };
  #reported: RowRange = { from: 0, to: 0 };

  constructor(tell: (message: ToHost) => void) {
    this.#tell = tell;
  }

  /** How much there is, as the extension said last. */
  get extent(): LogExtent {
    return this.#extent;
  }

  /** Rows up to the newest that has come: while following, the end is shown only when it is there. */
  get settled(): number {
    return this.#settled;
  }

  /** Takes a new shape; gives whether rows moved in another way than by `shifted`. */
  take(shape: LogExtent): boolean {
    const hasMoved = shape.generation !== this.#generation;
    this.#generation = shape.generation;
    this.#extent = shape;
    this.#barren = undefined;
    this.#settled = Math.min(this.#settled, shape.rowCount);
    this.cache.cutAt(shape.rowCount);
    if (hasMoved) this.refresh();
    return hasMoved;
  }

  /** Takes rows; gives the places where another row is now than was. `near` is the row that is looked at. */
  takeRows(generation: number, from: number, rows: readonly Row[], near: number): number[] {
    const asked = this.#asked;
    this.#asked = undefined;
    if (generation !== this.#generation) return [];
    const isAnswered = !asked || (from <= asked.from && from + rows.length > asked.from);
    this.#barren = isAnswered ? undefined : asked;
    const fitting = rows.slice(0, Math.max(0, this.#extent.rowCount - from));
    this.#settled = Math.max(this.#settled, from + fitting.length);
    return this.cache.put(from, fitting, near);
  }

  /** Takes that rows were put before the first. */
  takeShift(generation: number, by: number): void {
    const isTold = generation === this.#generation;
    const rowCount = Math.max(0, this.#extent.rowCount + (isTold ? 0 : by));
    this.#generation = generation;
    this.#extent = { ...this.#extent, generation, rowCount };
    this.#settled = Math.min(rowCount, Math.max(0, this.#settled + by));
    this.#asked = undefined;
    this.#barren = undefined;
    this.cache.shift(by);
  }

  /** All rows are to be fetched anew; the old ones are shown until then. */
  refresh(): void {
    this.#asked = undefined;
    this.#barren = undefined;
    this.cache.spoil();
  }

  /**
   * Asks for what is missing of the stretch and around it. `anchor` names the row whose place is kept; with
   * `isPatient` nothing is asked before the last answer is there, and nothing around.
   */
  want(stretch: RowRange, anchor: number | undefined, isPatient: boolean): void {
    this.#view = { from: Math.max(0, stretch.from), to: stretch.to };
    if (isPatient && this.#asked) return;
    // While new ones come, what is above them is gone before anybody goes there.
    const ahead = isPatient ? 0 : AHEAD;
    // A step of one row is no reason to ask: what is near lasts for a while.
    if (!this.#missing(stretch, ahead / 2)) return;
    const wanted = this.#missing(stretch, ahead);
    if (!wanted || this.#isAsked(wanted)) return;
    this.#asked = wanted;
    this.#ask(wanted, anchor);
  }

  /** Whether the extension knows what is in view, and that this row's place is the one to keep. */
  isNamed(row: number): boolean {
    const { from, to } = this.#reported;
    const isSame = this.cache.at(row)?.id === this.#anchor;
    return (
      isSame && from <= this.#view.from && to >= Math.min(this.#view.to, this.#extent.rowCount)
    );
  }

  /** Wants all that is in view, so that it is known there; this row's place is the one to keep. */
  name(row: number): void {
    const to = Math.min(this.#view.to, this.#extent.rowCount);
    const from = Math.max(0, Math.min(this.#view.from, to));
    const id = this.cache.at(row)?.id;
    if (id !== undefined && to > from && !this.isNamed(row)) this.#ask({ from, to }, id);
  }

  #ask(wanted: RowRange, anchor: number | undefined): void {
    const generation = this.#generation;
    this.#anchor = anchor;
    this.#reported = wanted;
    this.#tell({ type: 'want', generation, ...wanted, ...(anchor !== undefined && { anchor }) });
  }

  #missing({ from, to }: RowRange, around: number): RowRange | undefined {
    const end = Math.min(this.#extent.rowCount, to + around);
    return this.cache.missing(Math.max(0, from - around), end);
  }

  #isAsked({ from }: RowRange): boolean {
    return [this.#asked, this.#barren].some(
      (stretch) => stretch !== undefined && from >= stretch.from && from < stretch.to,
    );
  }
}

/** Rows from … up to, not with, `to`. */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}
