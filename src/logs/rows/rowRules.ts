import {
  CONTINUES,
  HIDES,
  KNOWN,
  PASSES,
  type IdRange,
  type LineFilter,
} from '../search/lineQuery.ts';
import { MOST_FOLLOWING } from '../search/traceReader.ts';
import type { LineMarks } from './lineMarks.ts';

/** Limit of the lines in a group: two of the longest groups of the search, which may restart its count within one. */
const LONGEST_GROUP = 2 * (MOST_FOLLOWING + 1);
/** Limit of the context lines before and after a match. */
const MOST_CONTEXT = 1000;

/**
 * Decides which lines are rows. A group is shown if one of its lines passes the filter or is near one that
 * does, unless one of its lines hides the group. A folded group shows only its head.
 */
export class RowRules {
  readonly #marks: LineMarks;
  readonly #isFiltered: boolean;
  /** The number of context lines before and after a line that passes. */
  readonly #context: number;
  readonly #folds: boolean;
  readonly #unfolded: ReadonlySet<number>;

  /** @param unfolded the heads of groups that the user unfolded. */
  constructor(marks: LineMarks, { filter, folds }: LogRowsSettings, unfolded: ReadonlySet<number>) {
    this.#marks = marks;
    this.#isFiltered = filter !== undefined;
    this.#context = Math.min(MOST_CONTEXT, Math.max(0, Math.floor(filter?.context ?? 0)));
    this.#folds = folds;
    this.#unfolded = unfolded;
  }

  /** Returns how many lines of a range are rows. */
  countIn(range: IdRange, all: IdRange): number {
    const { from, to } = range;
    // A group that starts in the range and continues after it has its head in the range.
    const areAll = !this.#isFiltered && (!this.#folds || !this.#marks.hasAny(from, to, CONTINUES));
    return areAll ? to - from : this.rowsIn(range, all).length;
  }

  /** Whether it is known if a line passes the filter. */
  isChecked(id: number): boolean {
    return !this.#isFiltered || (this.#marks.get(id) & KNOWN) !== 0;
  }

  isFolded(head: number): boolean {
    return this.#folds && !this.#unfolded.has(head);
  }

  /** Number of lines around a mark whose rows it may affect. */
  get reach(): number {
    return (this.#isFiltered ? this.#context : 0) + (this.#folds ? LONGEST_GROUP : 0);
  }

  /** Returns the group of a line: a head and its continuation lines. `all` is the range of existing lines. */
  groupOf(id: number, all: IdRange): IdRange {
    if (!this.#folds) return { from: id, to: id + 1 };
    let from = id;
    let to = id + 1;
    while (from > all.from && this.#continues(from) && id - from < LONGEST_GROUP) from -= 1;
    while (to < all.to && this.#continues(to) && to - from < LONGEST_GROUP) to += 1;
    return { from, to };
  }

  /** Returns the IDs of the rows in a range, ascending. */
  rowsIn({ from, to }: IdRange, all: IdRange): readonly number[] {
    const rows: number[] = [];
    if (from >= to) return rows;
    const start = this.groupOf(from, all).from;
    const end = this.groupOf(to - 1, all).to;
    const shown = this.#isFiltered ? this.#shownIn({ from: start, to: end }, all) : undefined;
    for (let at = start; at < end;) {
      const group = this.groupOf(at, all);
      const isShown = !shown || hasOne(shown, group.from - start, group.to - start);
      const last = this.isFolded(group.from) ? group.from + 1 : group.to;
      for (let id = Math.max(from, group.from); isShown && id < Math.min(last, to); id++)
        rows.push(id);
      at = group.to;
    }
    return rows;
  }

  /** Returns one byte for each line: whether it passes the filter or is near one that does. */
  #shownIn({ from, to }: IdRange, all: IdRange): Uint8Array {
    const context = this.#context;
    const shown = new Uint8Array(to - from);
    const last = Math.min(all.to, to + context);
    let filled = from;
    let groupEnd = -Infinity;
    let isHidden = false;
    for (let id = Math.max(all.from, from - context); id < last; id++) {
      if (!(this.#marks.get(id) & PASSES)) continue;
      if (id >= groupEnd) [groupEnd, isHidden] = this.#hides(id, all);
      if (isHidden) continue;
      const start = Math.max(filled, id - context);
      const end = Math.min(to, id + context + 1);
      if (start < end) shown.fill(1, start - from, end - from);
      filled = Math.max(filled, end);
    }
    return shown;
  }

  /** Returns where the group of a line ends, and whether one of its lines hides the group. */
  #hides(id: number, all: IdRange): readonly [number, boolean] {
    const { from, to } = this.groupOf(id, all);
    return [to, to - from > 1 && this.#marks.hasAny(from, to, HIDES)];
  }

  #continues(id: number): boolean {
    return (this.#marks.get(id) & CONTINUES) !== 0;
  }
}

export interface LogRowsSettings {
  /** Without a filter, all lines pass. */
  readonly filter?: LineFilter;
  /** Whether continuation lines can be folded under their head. */
  readonly folds: boolean;
}

function hasOne(bytes: Uint8Array, from: number, to: number): boolean {
  for (let index = from; index < to; index++) if (bytes[index] === 1) return true;
  return false;
}
