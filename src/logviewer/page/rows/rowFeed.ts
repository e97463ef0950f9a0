import type { LogExtent, RowSlice, ToHost } from '../../protocol.ts';
import { RowCache } from './rowCache.ts';

/** Rows fetched beyond those that are laid out. */
const AHEAD = 60;
/** Milliseconds without a change after which scrolling counts as over. */
const REST_MS = 100;

const NOTHING: LogExtent = {
  generation: 0,
  rowCount: 0,
  lineCount: 0,
  droppedCount: 0,
  isStart: false,
  isReadingOlder: false,
  isFiltered: false,
};

/** Gets rows from the extension: those near the view, or while the end is followed, the newest as they come. */
export class RowFeed {
  readonly cache = new RowCache();
  readonly #tell: (message: ToHost) => void;
  #extent = NOTHING;
  /** What was asked for last and has not come; undefined once rows have moved. */
  #asked: RowRange | undefined;
  /** Rows at the end that are sent as they come; 0 if none are. */
  #followed = 0;
  #anchor: number | undefined;
  #view: RowRange = { from: 0, to: 0 };
  #reported: RowRange = { from: 0, to: 0 };
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(tell: (message: ToHost) => void) {
    this.#tell = tell;
  }

  /** How much there is, as the extension said last. */
  get extent(): LogExtent {
    return this.#extent;
  }

  /** Takes a new shape; gives whether rows moved in another way than by `shifted`. */
  take(shape: LogExtent): boolean {
    const hasMoved = shape.generation !== this.#extent.generation;
    this.#extent = shape;
    this.cache.cutAt(shape.rowCount);
    if (hasMoved) this.#spoil();
    return hasMoved;
  }

  /** Takes rows; gives the places where another row is now than was. `near` is the row that is looked at. */
  takeRows(generation: number, { from, rows }: RowSlice, near: number): number[] {
    if (generation !== this.#extent.generation) return [];
    const asked = this.#asked?.from ?? NaN;
    if (from <= asked && asked < from + rows.length) this.#asked = undefined;
    return this.cache.put(from, rows.slice(0, Math.max(0, this.#extent.rowCount - from)), near);
  }

  /** Takes that rows were put before the first. */
  takeShift(generation: number, by: number): void {
    const isTold = generation === this.#extent.generation;
    const rowCount = Math.max(0, this.#extent.rowCount + (isTold ? 0 : by));
    this.#extent = { ...this.#extent, generation, rowCount };
    this.#asked = undefined;
    this.cache.shift(by);
  }

  /** All rows are to be fetched anew; the old ones are shown until then. */
  refresh(): void {
    this.#spoil();
    this.#followed = 0;
  }

  /** Has so many rows at the end sent as they come; while they are, nothing is asked for. */
  follow(count: number): void {
    if (count === this.#followed) return;
    this.#followed = count;
    this.#tell({ type: 'follow', count });
  }

  /** Asks for what is missing of the stretch and around it. `anchor` names the row whose place is kept. */
  want(stretch: RowRange, anchor: number | undefined): void {
    this.#view = { from: Math.max(0, stretch.from), to: stretch.to };
    // The extension has to know that the end is left, even if nothing is missing.
    const isLeaving = this.#followed > 0;
    this.#followed = 0;
    // A step of one row is no reason to ask: what is near lasts for a while.
    const isNeeded = this.#missing(stretch, AHEAD / 2) !== undefined;
    const wanted = isNeeded ? this.#missing(stretch, AHEAD) : undefined;
    if (wanted && !this.#isAsked(wanted)) {
      this.#asked = wanted;
      this.#ask(wanted, anchor);
    } else if (isLeaving) this.#ask(this.#inView, anchor);
  }

  /** The row stands at the top of the view now: once scrolling has come to rest, its place is the one to keep. */
  note(row: number): void {
    clearTimeout(this.#timer);
    if (this.#isNamed(row)) return;
    this.#timer = setTimeout(() => {
      this.#name(row);
    }, REST_MS);
  }

  /** Whether the extension knows what is in view, and that this row's place is the one to keep. */
  #isNamed(row: number): boolean {
    const { from, to } = this.#reported;
    const isSame = this.cache.at(row)?.id === this.#anchor;
    return (
      isSame && from <= this.#view.from && to >= Math.min(this.#view.to, this.#extent.rowCount)
    );
  }

  /** Wants all that is in view, so that it is known there; this row's place is the one to keep. */
  #name(row: number): void {
    const { from, to } = this.#inView;
    const id = this.cache.at(row)?.id;
    const isDue = this.#followed === 0 && to > from && !this.#isNamed(row);
    if (id !== undefined && isDue) this.#ask({ from, to }, id);
  }

  #ask(wanted: RowRange, anchor: number | undefined): void {
    const { generation } = this.#extent;
    this.#anchor = anchor;
    this.#reported = wanted;
    this.#tell({ type: 'want', generation, ...wanted, ...(anchor !== undefined && { anchor }) });
  }

  #missing({ from, to }: RowRange, around: number): RowRange | undefined {
    const end = Math.min(this.#extent.rowCount, to + around);
    return this.cache.missing(Math.max(0, from - around), end);
  }

  #isAsked({ from }: RowRange): boolean {
    return this.#asked !== undefined && from >= this.#asked.from && from < this.#asked.to;
  }

  /** What is in view, as far as it is there. */
  get #inView(): RowRange {
    const to = Math.min(this.#view.to, this.#extent.rowCount);
    return { from: Math.max(0, Math.min(this.#view.from, to)), to };
  }

  #spoil(): void {
    this.#asked = undefined;
    this.cache.spoil();
  }
}

/** Rows from … up to, not with, `to`. */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}
