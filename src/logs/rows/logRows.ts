import { Emitter, isCancellation, type Disposable, type Event } from '../../lifetime.ts';
import type { LineStore } from '../store/lineStore.ts';
import type { IdRange, LineFilter, MarkReport } from '../search/lineQuery.ts';
import type { LogSearch } from '../search/logSearch.ts';
import { LineMarks, pageOf } from './lineMarks.ts';
import { RowIndex } from './rowIndex.ts';
import { RowRules } from './rowRules.ts';

/** Which lines of a store are shown, in which row, while lines come and go. */
export class LogRows implements Disposable {
  readonly #store: LineStore;
  readonly #search: Pick<LogSearch, 'rows' | 'check'>;
  readonly #changed = new Emitter<LogRowsChange>();
  readonly #failed = new Emitter<Error>();
  readonly #subscription: Disposable;
  readonly #marks = new LineMarks();
  readonly #index: RowIndex;
  /** Heads for which the opposite of {@link LogRows.#foldsAll} holds. */
  readonly #exceptions = new Set<number>();
  #foldsAll = true;
  #settings: LogRowsSettings = { folds: false };
  #all: IdRange = { from: 0, to: 0 };
  #generation = -1;
  #rules: RowRules;
  #running: AbortController | undefined;
  #isComplete = true;
  #willFire = false;
  /** The rows as the last event left them. */
  #settled = { count: 0, firstId: NaN, lastId: NaN };

  /** Rows came, went or changed. Many changes are one event. */
  readonly onDidChange: Event<LogRowsChange> = this.#changed.event;
  /** Lines can no longer be looked at; what is shown stays as it was. */
  readonly onDidFail = this.#failed.event;

  constructor(store: LineStore, search: Pick<LogSearch, 'rows' | 'check'>) {
    this.#store = store;
    this.#search = search;
    this.#rules = this.#newRules();
    this.#index = new RowIndex(this.#rules);
    this.#subscription = store.onDidChange(() => {
      this.#meet();
      this.#fireSoon();
    });
    this.#meet();
  }

  /** Whether all lines that were there lately have been looked at. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  get settings(): LogRowsSettings {
    return this.#settings;
  }

  get rowCount(): number {
    this.#meet();
    return this.#index.rowCount;
  }

  /**
   * Shows something else.
   *
   * @returns resolves when all lines that are there have been looked at; until then, of a filtered view, only
   * those that were are shown, and of another all.
   * @throws InputError for what is no regular expression; what was shown before stays then. InputError for one that
   * takes too long, and an Error where lines cannot be read: then of a filtered view lines are missing.
   * AbortError when something else was to be shown meanwhile.
   */
  async show(settings: LogRowsSettings): Promise<void> {
    this.#search.check(settings.filter);
    const running = new AbortController();
    const needsMarks = settings.folds || settings.filter !== undefined;
    const take = (marked: MarkReport): void => {
      if (!running.signal.aborted) this.#take(marked);
    };
    const fail = (error: Error): void => {
      if (!isCancellation(error)) this.#failed.fire(error);
    };
    const { filter, folds } = settings;
    const looking = needsMarks
      ? this.#search.rows({ filter, folds }, take, running.signal, fail)
      : Promise.resolve();
    this.#switchTo(settings, running, !needsMarks);
    await looking;
  }

  /** A row; undefined where there is none. */
  rowAt(index: number): LogRow | undefined {
    this.#meet();
    const id = this.#index.idAt(index);
    if (id === undefined) return undefined;
    const { from, to } = this.#rules.groupOf(id, this.#all);
    const count = to - from - 1;
    return id === from && count > 0
      ? { id, folded: { count, isOpen: !this.#isFolded(id) } }
      : { id };
  }

  /** Rows from one number to, not including, another, as far as there are such. */
  slice(from: number, to: number): readonly LogRow[] {
    const rows: LogRow[] = [];
    for (let at = Math.max(0, from); at < to; at++) {
      const row = this.rowAt(at);
      if (!row) break;
      rows.push(row);
    }
    return rows;
  }

  /** The row that shows this line; -1 if none does. */
  indexOf(id: number): number {
    this.#meet();
    const row = this.#index.rowFrom(id);
    return this.#index.idAt(row) === id ? row : -1;
  }

  /** The row of a line, or of the one it is folded beneath, or the nearest behind it. */
  rowOf(id: number): number {
    const own = this.indexOf(id);
    if (own >= 0) return own;
    const head = this.indexOf(this.headOf(id));
    return head >= 0 ? head : this.#within(this.#index.rowFrom(id));
  }

  /** The row of a line, or one at most `tolerance` rows from it, which costs next to nothing. */
  rowNear(id: number, tolerance: number): number {
    this.#meet();
    return this.#within(this.#index.rowNear(id, tolerance));
  }

  /** The line beneath which this one is folded, or would be; its own id where it stands alone. */
  headOf(id: number): number {
    this.#meet();
    return this.#rules.groupOf(id, this.#all).from;
  }

  /** Folds or unfolds what follows one line. */
  fold(head: number, isFolded: boolean): void {
    if (isFolded === this.#foldsAll) this.#exceptions.delete(head);
    else this.#exceptions.add(head);
    this.#index.touch(this.#rules.groupOf(head, this.#all));
    this.#fireSoon();
  }

  /** Folds or unfolds everything, also what comes. */
  foldAll(isFolded: boolean): void {
    this.#foldsAll = isFolded;
    this.#exceptions.clear();
    this.#index.reset(this.#rules);
    this.#fireSoon();
  }

  /** Unfolds what a line is folded beneath. */
  uncover(id: number): void {
    const head = this.headOf(id);
    if (head !== id && this.#isFolded(head)) this.fold(head, false);
  }

  /** Fires now what is still to be told; where the first and the last row of before are, says how all moved. */
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

  #isFolded(head: number): boolean {
    return this.#settings.folds && this.#foldsAll !== this.#exceptions.has(head);
  }

  #within(row: number): number {
    return Math.max(0, Math.min(row, this.rowCount - 1));
  }

  #switchTo(settings: LogRowsSettings, running: AbortController, isComplete: boolean): void {
    this.#running?.abort();
    this.#running = running;
    this.#settings = settings;
    this.#isComplete = isComplete;
    this.#rules = this.#newRules();
    this.#void();
  }

  /** Nothing is known of any line any more. */
  #void(): void {
    this.#marks.clear();
    this.#index.reset(this.#rules);
    this.#fireSoon();
  }

  #newRules(): RowRules {
    const { filter, folds } = this.#settings;
    const settings = { isFiltered: filter !== undefined, context: filter?.context ?? 0, folds };
    return new RowRules(this.#marks, settings, (head) => this.#isFolded(head));
  }

  #take({ from, marks, isDone, isFresh }: MarkReport): void {
    this.#meet();
    if (isFresh) this.#void();
    this.#isComplete = isDone;
    // What was dropped meanwhile would only take room.
    const skipped = Math.min(marks.length, Math.max(0, this.#all.from - from));
    this.#marks.set(from + skipped, marks.subarray(skipped));
    if (marks.length > skipped)
      this.#index.touch({ from: from + skipped, to: from + marks.length });
    this.#fireSoon();
  }

  /** Takes in which lines there are now. */
  #meet(): void {
    const { firstId, endId, generation } = this.#store;
    if (generation !== this.#generation) {
      this.#generation = generation;
      this.#exceptions.clear();
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

/** One row: a line, and how many lines belong to it: the frames of a stack trace, for example. */
export interface LogRow {
  readonly id: number;
  readonly folded?: { readonly count: number; readonly isOpen: boolean };
}

/** How rows moved. */
export interface LogRowsChange {
  /** So many rows came before the first, while all others stayed as they were. */
  readonly shiftedBy?: number;
  /** Whether rows moved otherwise than by coming at the end. */
  readonly isNew?: boolean;
}

/** What is shown of a store. */
export interface LogRowsSettings {
  readonly filter?: LineFilter | undefined;
  /** Whether lines that belong to another can be folded beneath it. */
  readonly folds: boolean;
}
