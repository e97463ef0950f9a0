import type { LogExtent, RowSlice, ToHost } from '../../protocol.ts';
import { RowCache } from './rowCache.ts';

/** Number of rows requested beyond the rendered rows. */
const AHEAD = 60;
/** Time in milliseconds without a change after which scrolling counts as ended. */
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

/** Gets rows from the extension: those near the view or, while following the end, the newest as they arrive. */
export class RowFeed {
  readonly cache = new RowCache();
  readonly #post: (message: ToHost) => void;
  #extent = NOTHING;
  /** The last requested rows that have not arrived; undefined if rows have moved since. */
  #asked: RowRange | undefined;
  /** Number of rows at the end that the extension sends as they arrive; 0 if not following. */
  #followed = 0;
  #anchor: number | undefined;
  #view: RowRange = { from: 0, to: 0 };
  #reported: RowRange = { from: 0, to: 0 };
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(post: (message: ToHost) => void) {
    this.#post = post;
  }

  /** Latest extent from the extension. */
  get extent(): LogExtent {
    return this.#extent;
  }

  /** Applies a new extent. Returns whether rows moved other than by `shifted`. */
  applyExtent(shape: LogExtent): boolean {
    const hasMoved = shape.generation !== this.#extent.generation;
    this.#extent = shape;
    this.cache.cutAt(shape.rowCount);
    if (hasMoved) this.#spoil();
    return hasMoved;
  }

  /** Applies rows. Returns the indexes whose rows have changed. `near` is the row in view. */
  applyRows(generation: number, { from, rows }: RowSlice, near: number): number[] {
    if (generation !== this.#extent.generation) return [];
    const asked = this.#asked?.from ?? NaN;
    if (from <= asked && asked < from + rows.length) this.#asked = undefined;
    return this.cache.put(from, rows.slice(0, Math.max(0, this.#extent.rowCount - from)), near);
  }

  /** Shifts by rows that were inserted before the first row. */
  applyShift(generation: number, by: number): void {
    const isCounted = generation === this.#extent.generation;
    const rowCount = Math.max(0, this.#extent.rowCount + (isCounted ? 0 : by));
    this.#extent = { ...this.#extent, generation, rowCount };
    this.#asked = undefined;
    this.cache.shift(by);
  }

  /** Requests all rows again. The old rows are shown until the new ones arrive. */
  refresh(): void {
    this.#spoil();
    this.#followed = 0;
  }

  /** Requests the newest `count` rows as they arrive. Nothing else is requested in the meantime. */
  follow(count: number): void {
    if (count === this.#followed) return;
    this.#followed = count;
    this.#post({ type: 'follow', count });
  }

  /** Requests missing rows of a range and around it. `anchor` is the ID of the row whose position is kept. */
  want(stretch: RowRange, anchor: number | undefined): void {
    this.#view = { from: Math.max(0, stretch.from), to: stretch.to };
    // The extension must know that the page no longer follows the end, even if no row is missing.
    const isLeaving = this.#followed > 0;
    this.#followed = 0;
    // Requests only if rows within half the distance are missing, not for each row scrolled.
    const isNeeded = this.#missing(stretch, AHEAD / 2) !== undefined;
    const wanted = isNeeded ? this.#missing(stretch, AHEAD) : undefined;
    if (wanted && !this.#isAsked(wanted)) {
      this.#asked = wanted;
      this.#ask(wanted, anchor);
    } else if (isLeaving) this.#ask(this.#inView, anchor);
  }

  /** Records the row at the top of the view. Once scrolling has ended, its position is the one to keep. */
  record(row: number): void {
    clearTimeout(this.#timer);
    if (this.#isNamed(row)) return;
    this.#timer = setTimeout(() => this.#name(row), REST_MS);
  }

  /** Whether the extension knows the rows in view, and that the position of this row is the one to keep. */
  #isNamed(row: number): boolean {
    const { from, to } = this.#reported;
    const isSame = this.cache.at(row)?.id === this.#anchor;
    return (
      isSame && from <= this.#view.from && to >= Math.min(this.#view.to, this.#extent.rowCount)
    );
  }

  /** Requests all rows in view, so that the extension knows them, with this row as the one whose position is kept. */
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
    this.#post({ type: 'want', generation, ...wanted, anchor });
  }

  #missing({ from, to }: RowRange, around: number): RowRange | undefined {
    const end = Math.min(this.#extent.rowCount, to + around);
    return this.cache.missing(Math.max(0, from - around), end);
  }

  #isAsked({ from }: RowRange): boolean {
    return this.#asked !== undefined && from >= this.#asked.from && from < this.#asked.to;
  }

  /** The range in view, limited to existing rows. */
  get #inView(): RowRange {
    const to = Math.min(this.#view.to, this.#extent.rowCount);
    return { from: Math.max(0, Math.min(this.#view.from, to)), to };
  }

  #spoil(): void {
    this.#asked = undefined;
    this.cache.spoil();
  }
}

/** The rows [from, to). */
interface RowRange {
  readonly from: number;
  readonly to: number;
}
