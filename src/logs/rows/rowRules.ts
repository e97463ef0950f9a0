import { CONTINUES, HIDES, PASSES, type IdRange } from '../search/lineQuery.ts';
import { MOST_FOLLOWING } from '../search/traceReader.ts';
import type { LineMarks } from './lineMarks.ts';

/** No group has more lines: two of the longest the search tells of, for it may begin to count anew within one. */
const LONGEST_GROUP = 2 * (MOST_FOLLOWING + 1);
/** More lines around a match are no context. */
const MOST_CONTEXT = 1000;

/**
 * Decides which lines are rows. A group is shown where one of its lines passes or is near one that does; none of them
 * passes where one says what hides lines. While it is folded only its head is a row.
 */
export class RowRules {
  readonly #marks: LineMarks;
  readonly #settings: RowSettings;
  readonly #isFolded: (head: number) => boolean;

  constructor(marks: LineMarks, settings: RowSettings, isFolded: (head: number) => boolean) {
    this.#marks = marks;
    this.#settings = { ...settings, context: clamped(settings.context) };
    this.#isFolded = isFolded;
  }

  /** Whether each line of a range is a row. May say so of too few. */
  showsAll({ from, to }: IdRange): boolean {
    const { isFiltered, folds } = this.#settings;
    // A group that begins in the range and goes on behind it has its head there.
    return !isFiltered && (!folds || !this.#marks.hasAny(from, to, CONTINUES));
  }

  /** How many lines of a range are rows. */
  countIn(range: IdRange, all: IdRange): number {
    return this.showsAll(range) ? range.to - range.from : this.rowsIn(range, all).length;
  }

  /** So far a mark may reach in its effect, in lines. */
  get reach(): number {
    const { context, folds, isFiltered } = this.#settings;
    return (isFiltered ? context : 0) + (folds ? LONGEST_GROUP : 0);
  }

  /** The group of a line; `all` are the lines there are. */
  groupOf(id: number, all: IdRange): LineGroup {
    if (!this.#settings.folds) return { from: id, to: id + 1 };
    let [from, to] = [id, id + 1];
    while (from > all.from && this.#continues(from) && id - from < LONGEST_GROUP) from -= 1;
    while (to < all.to && this.#continues(to) && to - from < LONGEST_GROUP) to += 1;
    return { from, to };
  }

  /** Ids of the rows in a range, rising. */
  rowsIn({ from, to }: IdRange, all: IdRange): readonly number[] {
    const rows: number[] = [];
    if (from >= to) return rows;
    const start = this.groupOf(from, all).from;
    const end = this.groupOf(to - 1, all).to;
    const shown = this.#settings.isFiltered
      ? this.#shownIn({ from: start, to: end }, all)
      : undefined;
    for (let at = start; at < end;) {
      const group = this.groupOf(at, all);
      const isShown = !shown || hasOne(shown, group.from - start, group.to - start);
      const last = this.#settings.folds && this.#isFolded(group.from) ? group.from + 1 : group.to;
      for (let id = Math.max(from, group.from); isShown && id < Math.min(last, to); id++)
        rows.push(id);
      at = group.to;
    }
    return rows;
  }

  /** One byte for each line: whether it passes or is near one that does. */
  #shownIn({ from, to }: IdRange, all: IdRange): Uint8Array {
    const { context } = this.#settings;
    const shown = new Uint8Array(to - from);
    const last = Math.min(all.to, to + context);
    let filled = from;
    let [groupEnd, isHidden] = [-Infinity, false];
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

  /** Where the group of a line ends, and whether one of its lines hides them all. */
  #hides(id: number, all: IdRange): readonly [number, boolean] {
    const { from, to } = this.groupOf(id, all);
    return [to, to - from > 1 && this.#marks.hasAny(from, to, HIDES)];
  }

  #continues(id: number): boolean {
    return (this.#marks.get(id) & CONTINUES) !== 0;
  }
}

/** What decides which lines are rows. */
export interface RowSettings {
  /** Whether a filter stands; without one every line passes. */
  readonly isFiltered: boolean;
  /** Lines around one that passes that are shown, too. */
  readonly context: number;
  readonly folds: boolean;
}

/** Lines that belong together: a head and what follows it, or a line alone. */
export type LineGroup = IdRange;

function hasOne(bytes: Uint8Array, from: number, to: number): boolean {
  for (let index = from; index < to; index++) if (bytes[index] === 1) return true;
  return false;
}

function clamped(context: number): number {
  return Math.min(MOST_CONTEXT, Math.max(0, Math.floor(context)));
}
