import { Emitter, isCancellation, type Disposable, type Event } from '../../base/lifetime.ts';
import type { LineStore } from '../store/lineStore.ts';
import type { IdRange, MarkReport } from '../search/lineQuery.ts';
import type { LogSearch } from '../search/logSearch.ts';
import { LineMarks, pageOf } from './lineMarks.ts';
import { RowIndex } from './rowIndex.ts';
import { RowRules, type LogRowsSettings } from './rowRules.ts';

/** Maps the lines of a store to the rows that show them, while lines come and go. */
export class LogRows implements Disposable {
  readonly #store: LineStore;
  readonly #search: Pick<LogSearch, 'rows' | 'check'>;
  readonly #changed = new Emitter<LogRowsChange>();
  readonly #failed = new Emitter<Error>();
  readonly #subscription: Disposable;
  readonly #marks = new LineMarks();
  readonly #index: RowIndex;
  /** The heads of groups that the user unfolded. */
  readonly #unfolded = new Set<number>();
  #all: IdRange = { from: 0, to: 0 };
  #generation = -1;
  #rules: RowRules;
  #running: AbortController | undefined;
  #willFire = false;
  /** The rows as of the last event. */
  #settled = { count: 0, firstId: NaN, lastId: NaN };

  /** Fires when rows were added, removed or changed. Many changes are one event. */
  readonly onDidChange: Event<LogRowsChange> = this.#changed.event;
  /** Fires when the search fails; the rows stay as they were. */
  readonly onDidFail = this.#failed.event;

  constructor(store: LineStore, search: Pick<LogSearch, 'rows' | 'check'>) {
    this.#store = store;
    this.#search = search;
    this.#rules = new RowRules(this.#marks, { folds: false }, this.#unfolded);
    this.#index = new RowIndex(this.#rules);
    this.#subscription = store.onDidChange(() => {
      this.#meet();
      this.#fireSoon();
    });
    this.#meet();
  }

  get rowCount(): number {
    this.#meet();
    return this.#index.rowCount;
  }

  /**
   * Changes the filter and the folding.
   *
   * @returns resolves when all existing lines have been checked. Until then, a filtered view shows only the checked
   *   lines that pass, and an unfiltered view shows all lines.
   * @throws InputError if an expression is invalid (the previous settings then stay) or takes too long. Error if lines
   *   cannot be read; a filtered view then lacks lines. AbortError if the settings were changed again in the meantime.
   */
  async show(settings: LogRowsSettings): Promise<void> {
    this.#search.check(settings.filter);
    const running = new AbortController();
    const needsMarks = settings.folds || settings.filter !== undefined;
    const onReport = (marked: MarkReport): void => {
      if (!running.signal.aborted) this.#apply(marked);
    };
    const fail = (error: Error): void => {
      if (!isCancellation(error)) this.#failed.fire(error);
    };
    const looking = needsMarks && this.#search.rows(settings, onReport, running.signal, fail);
    this.#running?.abort();
    this.#running = running;
    this.#rules = new RowRules(this.#marks, settings, this.#unfolded);
    this.#void();
    await looking;
  }

  /** Returns a row; undefined if it does not exist. */
  rowAt(index: number): LogRow | undefined {
    this.#meet();
    const id = this.#index.idAt(index);
    if (id === undefined) return undefined;
    const { from, to } = this.#rules.groupOf(id, this.#all);
    const count = to - from - 1;
    return id === from && count > 0
      ? { id, folded: { count, isOpen: !this.#rules.isFolded(id) } }
      : { id };
  }

  /** Returns the existing rows in a half-open range. */
  slice(from: number, to: number): readonly LogRow[] {
    const rows: LogRow[] = [];
    for (let at = Math.max(0, from); at < to; at++) {
      const row = this.rowAt(at);
      if (!row) break;
      rows.push(row);
    }
    return rows;
  }

  /** Returns the row that shows this line; -1 if there is none. */
  indexOf(id: number): number {
    this.#meet();
    const row = this.#index.rowFrom(id);
    return this.#index.idAt(row) === id ? row : -1;
  }

  /** Returns the row of a line, of the head that it is folded under, or the nearest row after it. */
  rowOf(id: number): number {
    const own = this.indexOf(id);
    if (own >= 0) return own;
    const head = this.indexOf(this.headOf(id));
    return head >= 0 ? head : this.#within(this.#index.rowFrom(id));
  }

  /**
   * Whether the filter, if there is one, has checked a line and all later ones. Until then, {@link rowOf} may
   * return a row that is too late.
   */
  isChecked(id: number): boolean {
    this.#meet();
    return this.#rules.isChecked(id);
  }

  /** Returns the row of a line, or one at most `tolerance` rows away, at almost no cost. */
  rowNear(id: number, tolerance: number): number {
    this.#meet();
    return this.#within(this.#index.rowNear(id, tolerance));
  }

  /** Returns the first row that shows this line or a later one; `rowCount` if there is none. */
  rowFrom(id: number): number {
    this.#meet();
    return this.#index.rowFrom(id);
  }

  /** Returns the head of the group that contains this line; its own ID if it is not in a group. */
  headOf(id: number): number {
    this.#meet();
    return this.#rules.groupOf(id, this.#all).from;
  }

  /** Folds or unfolds the group of a head. */
  fold(head: number, isFolded: boolean): void {
    if (isFolded) this.#unfolded.delete(head);
    else this.#unfolded.add(head);
    this.#index.touch(this.#rules.groupOf(head, this.#all));
    this.#fireSoon();
  }

  /** Unfolds the group that hides a line. */
  uncover(id: number): void {
    const head = this.headOf(id);
    if (head !== id && this.#rules.isFolded(head)) this.fold(head, false);
  }

  /** Fires the pending change now. The new positions of the former first and last row show how the rows moved. */
  settle(): void {
    const { count, firstId, lastId } = this.#settled;
    const [first, last] = count === 0 ? [0, -1] : [this.indexOf(firstId), this.indexOf(lastId)];
    this.#settled = {
      count: this.rowCount,
      firstId: this.rowAt(0)?.id ?? NaN,
      lastId: this.rowAt(this.rowCount - 1)?.id ?? NaN,
    };
    const isSame = first >= 0 && last === first + count - 1;
    if (!isSame) this.#changed.fire({ isNew: true });
    else this.#changed.fire(first > 0 ? { shiftedBy: first } : {});
  }

  dispose(): void {
    this.#running?.abort();
    this.#subscription.dispose();
    this.#changed.dispose();
    this.#failed.dispose();
  }

  #within(row: number): number {
    return Math.max(0, Math.min(row, this.rowCount - 1));
  }

  /** Discards what is known about all lines. */
  #void(): void {
    this.#marks.clear();
    this.#index.reset(this.#rules);
    this.#fireSoon();
  }

  #apply({ from, marks, isFresh }: MarkReport): void {
    this.#meet();
    if (isFresh) this.#void();
    // Lines dropped in the meantime would only take up memory.
    const skipped = Math.min(marks.length, Math.max(0, this.#all.from - from));
    this.#marks.set(from + skipped, marks.subarray(skipped));
    if (marks.length > skipped)
      this.#index.touch({ from: from + skipped, to: from + marks.length });
    this.#fireSoon();
  }

  /** Updates the range of existing lines. */
  #meet(): void {
    const { firstId, endId, generation } = this.#store;
    if (generation !== this.#generation) {
      this.#generation = generation;
      this.#unfolded.clear();
      this.#void();
    }
    if (firstId === this.#all.from && endId === this.#all.to) return;
    if (firstId > this.#all.from) this.#marks.dropBefore(pageOf(firstId));
    this.#all = { from: firstId, to: endId };
    this.#index.resize(this.#all);
  }

  #fireSoon(): void {
    if (this.#willFire) return;
    this.#willFire = true;
    setImmediate(() => {
      this.#willFire = false;
      this.settle();
    });
  }
}

/** A row: one line, and the number of lines in its group, such as the frames of a stack trace. */
export interface LogRow {
  readonly id: number;
  readonly folded?: { readonly count: number; readonly isOpen: boolean };
}

/** Movement of rows. */
export interface LogRowsChange {
  /** The number of rows added before the first row, if all other rows are unchanged. */
  readonly shiftedBy?: number;
  /** Whether rows moved other than by appending at the end. */
  readonly isNew?: boolean;
}
