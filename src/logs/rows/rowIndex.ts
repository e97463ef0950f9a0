import type { IdRange } from '../search/lineQuery.ts';
import { firstIndex } from '../../base/firstIndex.ts';
import { PAGE_LINES, pageOf } from './lineMarks.ts';
import type { RowRules } from './rowRules.ts';

/** Limit of the pages kept as lists of IDs. Of other pages only the number of rows is kept. */
const MOST_LISTS = 16;

/** Maps rows to lines page by page, so that the cost of a change depends on the pages it touches. */
export class RowIndex {
  #rules: RowRules;
  #all: IdRange = { from: 0, to: 0 };
  /** The number of rows of each counted page. */
  readonly #counts = new Map<number, number>();
  readonly #lists = new Map<number, readonly number[]>();
  /**
   * The number of rows before each page, starting with the first, and the total at the end; undefined after a change.
   */
  #before: readonly number[] | undefined;

  constructor(rules: RowRules) {
    this.#rules = rules;
  }

  get rowCount(): number {
    return this.#sums().at(-1) ?? 0;
  }

  /** Discards all counts and sets new rules. */
  reset(rules: RowRules): void {
    this.#rules = rules;
    this.#counts.clear();
    this.#lists.clear();
    this.#before = undefined;
  }

  /** Updates the range of existing lines. */
  resize(all: IdRange): void {
    const old = this.#all;
    this.#all = all;
    if (all.from === old.from && all.to === old.to) return;
    if (all.from !== old.from)
      this.touch({ from: Math.min(all.from, old.from), to: Math.max(all.from, old.from) + 1 });
    if (all.to !== old.to)
      this.touch({ from: Math.min(all.to, old.to) - 1, to: Math.max(all.to, old.to) });
  }

  /** Discards the counts of pages that these lines affect. */
  touch({ from, to }: IdRange): void {
    const { reach } = this.#rules;
    for (let page = pageOf(from - reach); page <= pageOf(to - 1 + reach); page++) {
      this.#counts.delete(page);
      this.#lists.delete(page);
    }
    this.#before = undefined;
  }

  /** Returns the ID of the line that a row shows; undefined after the last row. */
  idAt(row: number): number | undefined {
    const sums = this.#sums();
    if (row < 0 || row >= this.rowCount) return undefined;
    const low = insertionIndex(row + 1, sums) - 1;
    const page = pageOf(this.#all.from) + low;
    const index = row - (sums[low] ?? 0);
    return this.#isWhole(page) ? this.#idsOf(page).from + index : this.#list(page)[index];
  }

  /** Returns the first row that shows this line or a later one; `rowCount` if there is none. */
  rowFrom(id: number): number {
    const { from, to } = this.#all;
    if (id < from) return 0;
    if (id >= to) return this.rowCount;
    const page = pageOf(id);
    const before = this.#sums()[page - pageOf(from)] ?? 0;
    return (
      before +
      (this.#isWhole(page) ? id - this.#idsOf(page).from : insertionIndex(id, this.#list(page)))
    );
  }

  /** Like {@link rowFrom} but off by at most `tolerance` rows. Fast, because it interpolates within a page. */
  rowNear(id: number, tolerance: number): number {
    const { from, to } = this.#all;
    if (id < from || id >= to) return this.rowFrom(id);
    const page = pageOf(id);
    const count = this.#count(page);
    if (count > tolerance) return this.rowFrom(id);
    const ids = this.#idsOf(page);
    const share = (id - ids.from) / (ids.to - ids.from);
    return (this.#sums()[page - pageOf(from)] ?? 0) + Math.floor(share * count);
  }

  #sums(): readonly number[] {
    if (this.#before) return this.#before;
    const sums = [0];
    const { from, to } = this.#all;
    let sum = 0;
    for (let page = pageOf(from); from < to && page <= pageOf(to - 1); page++)
      sums.push((sum += this.#count(page)));
    this.#before = sums;
    return sums;
  }

  #count(page: number): number {
    const known = this.#counts.get(page);
    if (known !== undefined) return known;
    const count = this.#rules.countIn(this.#idsOf(page), this.#all);
    this.#counts.set(page, count);
    return count;
  }

  /** Whether all lines of a page are rows. In most logs they are, and no list is needed. */
  #isWhole(page: number): boolean {
    const { from, to } = this.#idsOf(page);
    return this.#count(page) === to - from;
  }

  #list(page: number): readonly number[] {
    const known = this.#lists.get(page);
    if (known) return known;
    const list = this.#rules.rowsIn(this.#idsOf(page), this.#all);
    const [oldest] = this.#lists.keys();
    if (this.#lists.size >= MOST_LISTS && oldest !== undefined) this.#lists.delete(oldest);
    this.#lists.set(page, list);
    return list;
  }

  #idsOf(page: number): IdRange {
    return {
      from: Math.max(this.#all.from, page * PAGE_LINES),
      to: Math.min(this.#all.to, (page + 1) * PAGE_LINES),
    };
  }
}

/** Returns how many IDs of an ascending list are smaller. */
export function insertionIndex(id: number, list: readonly number[]): number {
  return firstIndex(0, list.length, (index) => (list[index] ?? 0) >= id);
}
