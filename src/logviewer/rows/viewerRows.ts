import { Emitter, isCancellation, type Disposable, type Event } from '../../lifetime.ts';
import type { LogRow, LogRows } from '../../logs/rows/logRows.ts';
import type { LineFilter } from '../../logs/search/lineQuery.ts';

/** Which rows there are, of all lines of a store. */
export interface ViewerRows extends Disposable {
  readonly count: number;
  readonly onDidChange: Event<ViewerRowsChange>;
  /** Tells now how rows have moved, where that is still to be told. */
  settle(): void;
  /** Rows from one number to, not including, another. */
  slice(from: number, to: number): readonly ViewerRow[];
  /** Number of the row of a line, or of the one it is folded below, or of the nearest behind it. */
  rowOf(id: number): number;
  /** The same by so many rows at most, for very many lines. */
  rowNear(id: number, tolerance: number): number;
  /** Sees to it that a line is not folded away. */
  uncover(id: number): void;
  /** Opens or closes what is folded below a row. */
  open(id: number, isOpen: boolean): void;
  /** @param filter undefined: all lines. */
  show(filter: LineFilter | undefined, folds: boolean): void;
}

/** One row: a line, and how many lines are folded below it. */
export interface ViewerRow {
  readonly id: number;
  readonly folded?: { readonly count: number; readonly isOpen: boolean };
}

/** How rows moved. */
export interface ViewerRowsChange {
  /** So many rows came before the first, while all others stayed as they were. */
  readonly shiftedBy?: number;
  /** Whether rows moved otherwise than by coming at the end. */
  readonly isNew?: boolean;
}

/** The part of a view that is used. */
export type RowSource = Pick<
  LogRows,
  | 'rowCount'
  | 'rowAt'
  | 'indexOf'
  | 'indexFrom'
  | 'indexNear'
  | 'headOf'
  | 'isFolded'
  | 'fold'
  | 'show'
  | 'onDidChange'
  | 'onDidFail'
>;

/** The rows of a view, and how they move when it changes. */
export class TrackedRows implements ViewerRows {
  readonly #view: RowSource;
  readonly #onProblem: (error: unknown) => void;
  readonly #changes = new Emitter<ViewerRowsChange>();
  readonly #subscriptions: readonly Disposable[];
  #last = { count: 0, firstId: NaN, lastId: NaN };

  readonly onDidChange: Event<ViewerRowsChange> = this.#changes.event;

  /** @param onProblem is told why a filter cannot be used. */
  constructor(view: RowSource, onProblem: (error: unknown) => void) {
    this.#view = view;
    this.#onProblem = onProblem;
    this.#subscriptions = [
      view.onDidChange(() => {
        this.#tell();
      }),
      view.onDidFail(onProblem),
    ];
  }

  get count(): number {
    return this.#view.rowCount;
  }

  settle(): void {
    this.#tell();
  }

  slice(from: number, to: number): readonly ViewerRow[] {
    const rows: ViewerRow[] = [];
    for (let at = Math.max(0, from); at < to; at++) {
      const row = this.#view.rowAt(at);
      if (!row) break;
      rows.push(shown(row));
    }
    return rows;
  }

  rowOf(id: number): number {
    const view = this.#view;
    const own = view.indexOf(id);
    if (own >= 0) return own;
    const head = view.indexOf(view.headOf(id));
    return head >= 0 ? head : Math.max(0, Math.min(view.indexFrom(id), view.rowCount - 1));
  }

  rowNear(id: number, tolerance: number): number {
    const view = this.#view;
    return Math.max(0, Math.min(view.indexNear(id, tolerance), view.rowCount - 1));
  }

  uncover(id: number): void {
    const head = this.#view.headOf(id);
    if (head !== id && this.#view.isFolded(head)) this.#view.fold(head, false);
  }

  open(id: number, isOpen: boolean): void {
    this.#view.fold(this.#view.headOf(id), !isOpen);
  }

  show(filter: LineFilter | undefined, folds: boolean): void {
    this.#view.show({ filter, folds }).catch((error: unknown) => {
      if (!isCancellation(error)) this.#onProblem(error);
    });
  }

  dispose(): void {
    for (const one of this.#subscriptions) one.dispose();
    this.#changes.dispose();
  }

  /** Where the first and the last row of before are now says how all of them moved. */
  #tell(): void {
    const { count, firstId, lastId } = this.#last;
    const view = this.#view;
    const [first, last] = count === 0 ? [0, -1] : [view.indexOf(firstId), view.indexOf(lastId)];
    this.#last = {
      count: view.rowCount,
      firstId: view.rowAt(0)?.id ?? NaN,
      lastId: view.rowAt(view.rowCount - 1)?.id ?? NaN,
    };
    const isSame = first >= 0 && last === first + count - 1;
    if (!isSame) this.#changes.fire({ isNew: true });
    else this.#changes.fire(first > 0 ? { shiftedBy: first } : {});
  }
}

function shown({ id, follow, isFolded }: LogRow): ViewerRow {
  return follow > 0 ? { id, folded: { count: follow, isOpen: !isFolded } } : { id };
}
