import { DisposableStore, type Disposable } from '../../base/lifetime.ts';
import type { LogRow, LogRowsChange } from '../../logs/rows/logRows.ts';
import { linesOfRows } from './visibleLines.ts';
import type { Row, RowSlice, ToHost, LogExtent } from '../protocol.ts';
import type { RowMaker } from './rowMaker.ts';
import { Throttle } from '../../base/time.ts';
import type { ViewerContext } from './viewerContent.ts';

type Want = Extract<ToHost, { readonly type: 'want' }>;

/** Maximum number of rows sent at once. No page shows more. */
const MOST_ROWS = 1000;
/** Minimum interval in milliseconds for sending changed rows again. */
const AGAIN_MS = 100;
/** Number of rows to send to a page that has not reported yet how many it shows. Hardly any page has room for more. */
const FIRST_TAIL = 150;

/**
 * Sends the page the rows it requests, and sends the rows in view again when their content changes. A page that
 * follows the end receives new rows together with the extent.
 */
export class RowServer implements Disposable {
  readonly #parts: ViewerContext;
  readonly #maker: RowMaker;
  readonly #owned = new DisposableStore();
  readonly #again: Throttle;
  /** Sends the extent of the log, and how rows have moved. */
  readonly #extentSoon: Throttle;
  #generation = 1;
  #shiftedBy = 0;
  #isNew = false;
  #sentCount = 0;
  #isFlood = false;
  #isNotifying = false;
  #wanted: Want | undefined;
  /** Number of rows that the page shows while it follows the end; 0 if it does not follow. */
  #followed = 0;
  /** ID of the row whose position the page keeps. */
  #anchor: number | undefined;
  /** Whether the rows at the end could not be read the last time. */
  #isFailing = false;
  /** The rows that were last sent and are still in view: their IDs with their fold state. */
  #sent: ReadonlyMap<number, string> = new Map();

  constructor(parts: ViewerContext, maker: RowMaker) {
    this.#parts = parts;
    this.#maker = maker;
    this.#again = this.#owned.add(new Throttle(parts.clock, AGAIN_MS, this.#sendAgain));
    const pauseMs = (): number => (this.#isFlood ? FLOOD_PAUSE_MS : PAUSE_MS);
    this.#extentSoon = this.#owned.add(new Throttle(parts.clock, pauseMs, this.#notifyExtent));
    this.#owned.listen(parts.rows.onDidChange, this.#recordChange);
    this.#owned.listen(parts.rows.onDidChange, this.#review);
  }

  /** Sends the extent soon. */
  readonly updateExtent = (): void => this.#extentSoon.request();

  /** Sends the extent now if rows have moved since it was last sent. */
  settleExtent(): void {
    if (this.#shiftedBy !== 0 || this.#isNew) this.#extentSoon.flush();
  }

  /** Sends the extent now to a new page, which has no rows that could have moved, but may name a row to go back to. */
  beginExtent(): void {
    this.#shiftedBy = 0;
    this.#isNew = true;
    this.#extentSoon.flush();
  }

  want(want: Want): void {
    // Otherwise rows that have just moved would be sent under their old indexes.
    this.#parts.rows.settle();
    this.#wanted = want;
    this.#anchor = want.anchor;
    this.#followed = 0;
    this.#send(want);
  }

  /** Sends the newest `count` rows now and as they arrive: the page follows the end. */
  follow(count: number): void {
    this.#reset(Math.max(0, Math.min(count, MOST_ROWS)));
    this.#extentSoon.flush();
  }

  /**
   * Returns the rows at the end that a page following the end lacks or has in an older state.
   *
   * @param isNew whether the page lacks all of them.
   * @returns undefined if there are none, if they cannot be read, or if the page does not follow the end.
   */
  #tail(isNew: boolean): RowSlice | undefined {
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
      const made = this.#make(shown.slice(first));
      this.#sent = keysOf(shown);
      this.#isFailing = false;
      return { from: start + first, rows: made };
    } catch (error) {
      // Reading is retried with the next extent.
      if (!this.#isFailing) onProblem(error);
      this.#isFailing = true;
      return undefined;
    }
  }

  /** Sends the rows in view again, soon. */
  readonly refresh = (): void => {
    this.#sent = new Map();
    if (this.#followed > 0) this.updateExtent();
    else this.#again.request();
  };

  /** Rows have moved: if this changes the rows in view or their fold state, they are sent again. */
  readonly #review = (): void => {
    if (this.#wanted && this.#slice(this.#wanted).some((row) => this.#isOther(row))) {
      this.#again.request();
    }
  };

  /**
   * Starts serving a new page, which has not requested anything yet.
   *
   * @param id ID of the row at the top of the page before it was reloaded.
   */
  begin(id: number | undefined, isFollowing: boolean): void {
    this.#reset(isFollowing ? FIRST_TAIL : 0);
    this.#anchor = id;
  }

  /** Stops sending, because there is no page. */
  end(): void {
    this.#reset(0);
  }

  readonly #recordChange = ({ shiftedBy, isNew }: LogRowsChange): void => {
    // One generation per extent message, however many changes it covers.
    if ((shiftedBy || isNew) && this.#shiftedBy === 0 && !this.#isNew) this.#generation++;
    if (isNew) this.#isNew = true;
    this.#shiftedBy += shiftedBy ?? 0;
    if (!this.#isNotifying) this.#extentSoon.request();
  };

  readonly #notifyExtent = (): void => {
    // Otherwise rows that have just moved would be counted, and sent, under their old indexes.
    this.#isNotifying = true;
    this.#parts.rows.settle();
    this.#isNotifying = false;
    const generation = this.#generation;
    const by = this.#shiftedBy;
    const isNew = this.#isNew;
    this.#shiftedBy = 0;
    this.#isNew = false;
    const { rowCount: count } = this.#parts.rows;
    this.#isFlood = Math.abs(count - this.#sentCount) > FLOOD_ROWS;
    this.#sentCount = count;
    if (by > 0 && !isNew) this.#parts.post({ type: 'shifted', generation, by });
    const tail = this.#tail(isNew);
    this.#parts.post({ type: 'shape', shape: this.#extent(isNew), tail });
  };

  #extent(isNew: boolean): LogExtent {
    const { rows, store, content } = this.#parts;
    const id = isNew ? this.#anchor : undefined;
    const { rowCount } = rows;
    return {
      generation: this.#generation,
      rowCount,
      lineCount: store.endId - store.firstId,
      droppedCount: store.droppedCount,
      isStart: content.back.isStart,
      isReadingOlder: content.back.isReading,
      isFiltered: content.lineFilter !== undefined,
      anchor: id === undefined || rowCount === 0 ? undefined : { id, row: rows.rowOf(id) },
    };
  }

  #make(shown: readonly LogRow[]): readonly Row[] {
    const lines = linesOfRows(shown, this.#parts.store);
    return shown.flatMap(({ id, folded }) => {
      const line = lines.get(id);
      return line ? [this.#maker.row(line, folded)] : [];
    });
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #reset(followed: number): void {
    this.#wanted = undefined;
    this.#followed = followed;
    this.#anchor = undefined;
    this.#sent = new Map();
  }

  /** Whether the page lacks a row or has it in an older state. */
  #isOther(row: LogRow): boolean {
    return this.#sent.get(row.id) !== keyOf(row);
  }

  /** Runs on a timer, so there is no caller to throw to. */
  readonly #sendAgain = (): void => {
    try {
      this.#parts.rows.settle();
      if (this.#wanted) this.#send(this.#wanted);
    } catch (error) {
      this.#parts.onProblem(error);
    }
  };

  #send(want: Want): void {
    const { generation } = want;
    // The page requests the rows again when it receives the new generation.
    if (generation !== this.#generation) return;
    const shown = this.#slice(want);
    this.#sent = keysOf(shown);
    const rows = this.#make(shown);
    this.#parts.post({ type: 'rows', generation, from: Math.max(0, want.from), rows });
  }

  #slice({ from, to }: Want): readonly LogRow[] {
    const start = Math.max(0, from);
    return this.#parts.rows.slice(start, Math.min(to, start + MOST_ROWS));
  }
}

function keysOf(rows: readonly LogRow[]): ReadonlyMap<number, string> {
  return new Map(rows.map((row) => [row.id, keyOf(row)]));
}

function keyOf({ folded }: LogRow): string {
  return folded ? `${folded.count} ${folded.isOpen}` : '';
}

// Pause in milliseconds between two extents, normally and in a flood. 20 per second is as good as continuous; a
// flood is not readable anyway.
const PAUSE_MS = 50;
const FLOOD_PAUSE_MS = 100;
/** More new rows than this between two extents are a flood. About as many as fit on a screen. */
const FLOOD_ROWS = 40;
