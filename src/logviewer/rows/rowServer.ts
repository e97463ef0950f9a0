import type { Disposable } from '../../lifetime.ts';
import type { LogRow, LogRows } from '../../logs/rows/logRows.ts';
import type { LineStore } from '../../logs/store/lineStore.ts';
import { linesOfRows } from './visibleLines.ts';
import type { Row, RowSlice, ToHost, ToPage } from '../protocol.ts';
import type { RowMaker } from './rowMaker.ts';
import { Throttle, type Clock } from '../../time.ts';

type Want = Extract<ToHost, { readonly type: 'want' }>;

/** No page shows more rows at once. */
const MOST_ROWS = 1000;
/** Rows that changed are sent again at most so often. */
const AGAIN_MS = 100;
/** A page that has not said yet how many rows it shows hardly has room for more. */
const FIRST_TAIL = 150;

/**
 * Sends the page the rows it wants, and those in view again when what they say has changed. To a page that follows
 * the end rows go with the news that they are there.
 */
export class RowServer implements Disposable {
  readonly #parts: RowServerDependencies;
  readonly #again: Throttle;
  #wanted: Want | undefined;
  /** Rows that the page shows while it follows the end; 0 if it does not follow. */
  #followed = 0;
  /** Of a page that has wanted nothing yet. */
  #position: number | undefined;
  /** Whether the rows at the end could not be read the last time. */
  #isFailing = false;
  /** The rows that were sent last and are still in view, by their ids. */
  #sent: ReadonlyMap<number, string> = new Map();

  constructor(parts: RowServerDependencies) {
    this.#parts = parts;
    this.#again = new Throttle(parts.clock, AGAIN_MS, () => {
      this.#sendAgain();
    });
  }

  /** The row whose place the page keeps. */
  get anchor(): number | undefined {
    return this.#wanted ? this.#wanted.anchor : this.#position;
  }

  want(want: Want): void {
    // What moved a moment ago, and was not told, would be sent under the numbers of before.
    this.#parts.rows.settle();
    this.#wanted = want;
    this.#followed = 0;
    this.#send(want);
  }

  /** Sends the newest rows, so many of them, now and as they come: the page follows the end. */
  follow(count: number): void {
    this.#reset(Math.max(0, Math.min(count, MOST_ROWS)));
    this.#parts.tellExtent();
  }

  /**
   * Gives the rows at the end that a page which follows it lacks, or has as they were before.
   *
   * @param isNew whether it lacks all of them.
   * @returns undefined if there are none, if they cannot be read, or if the page does not follow.
   */
  tail(isNew: boolean): RowSlice | undefined {
    if (this.#followed === 0) return undefined;
    const { rows, onProblem } = this.#parts;
    const start = Math.max(0, rows.rowCount - this.#followed);
    const shown = rows.slice(start, rows.rowCount);
    const first = isNew ? 0 : shown.findIndex((row) => this.#isOther(row));
    if (first < 0 || shown.length === 0) {
      this.#sent = keysOf(shown);
      return undefined;
    }
    try {
      const made = this.make(shown.slice(first));
      this.#sent = keysOf(shown);
      this.#isFailing = false;
      return { from: start + first, rows: made };
    } catch (error) {
      // They are tried again with each news.
      if (!this.#isFailing) onProblem(error);
      this.#isFailing = true;
      return undefined;
    }
  }

  /** Sends what is in view again, soon. */
  refresh(): void {
    this.#sent = new Map();
    if (this.#followed > 0) this.#parts.updateExtent();
    else this.#again.request();
  }

  /** Rows moved: sends those in view again where others are there now, or more is folded below them. */
  review(): void {
    if (this.#wanted && this.#slice(this.#wanted).some((row) => this.#isOther(row))) {
      this.#again.request();
    }
  }

  /** There is another page, which has wanted nothing yet. @param place id of the row that stood at its top. */
  begin(place: number | undefined, isFollowing: boolean): void {
    this.#reset(isFollowing ? FIRST_TAIL : 0);
    this.#position = place;
  }

  /** Sends nothing more: there is no page. */
  end(): void {
    this.#reset(0);
  }

  /** The rows as the page would get them. */
  make(shown: readonly LogRow[]): readonly Row[] {
    const lines = linesOfRows(shown, this.#parts.store);
    return shown.flatMap(({ id, folded }) => {
      const line = lines.get(id);
      return line ? [this.#parts.maker.row(line, folded)] : [];
    });
  }

  dispose(): void {
    this.#again.dispose();
  }

  #reset(followed: number): void {
    this.#wanted = undefined;
    this.#followed = followed;
    this.#position = undefined;
    this.#sent = new Map();
  }

  /** Whether the page lacks a row, or has it as it was before. */
  #isOther(row: LogRow): boolean {
    return this.#sent.get(row.id) !== keyOf(row);
  }

  /** Nobody waits for this who could be told what goes wrong. */
  #sendAgain(): void {
    try {
      this.#parts.rows.settle();
      if (this.#wanted) this.#send(this.#wanted);
    } catch (error) {
      this.#parts.onProblem(error);
    }
  }

  #send(want: Want): void {
    const { generation } = want;
    // It asks anew once it has heard of the new one.
    if (generation !== this.#parts.generation()) return;
    const shown = this.#slice(want);
    this.#sent = keysOf(shown);
    const rows = this.make(shown);
    this.#parts.post({ type: 'rows', generation, from: Math.max(0, want.from), rows });
  }

  #slice({ from, to }: Want): readonly LogRow[] {
    const start = Math.max(0, from);
    return this.#parts.rows.slice(start, Math.min(to, start + MOST_ROWS));
  }
}

/** What rows are served from. */
export interface RowServerDependencies {
  readonly store: LineStore;
  readonly rows: LogRows;
  readonly maker: Pick<RowMaker, 'row'>;
  readonly clock: Clock;
  readonly generation: () => number;
  readonly post: (message: ToPage) => void;
  /** Tells the page how much there is, now. */
  readonly tellExtent: () => void;
  /** Tells the page how much there is, soon. */
  readonly updateExtent: () => void;
  /** Rows cannot be read. */
  readonly onProblem: (error: unknown) => void;
}

function keysOf(rows: readonly LogRow[]): ReadonlyMap<number, string> {
  return new Map(rows.map((row) => [row.id, keyOf(row)]));
}

function keyOf({ folded }: LogRow): string {
  return folded ? `${folded.count} ${folded.isOpen}` : '';
}
