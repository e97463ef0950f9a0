import { DisposableStore, type Disposable } from '../../lifetime.ts';
import type { LogRows, LogRowsChange } from '../../logs/rows/logRows.ts';
import type { LogExtent, RowSlice, ToPage } from '../protocol.ts';
import { Throttle, type Clock } from '../../time.ts';

/** Milliseconds: twenty times a second is as good as always; of a flood nobody reads so much. */
const [PAUSE_MS, FLOOD_PAUSE_MS] = [50, 100];
/** More new rows than this between two tellings, which is about what a screen holds, are a flood. */
const FLOOD_ROWS = 40;

/** Tells the page how much there is, and how rows have moved. */
export class ExtentNotifier implements Disposable {
  readonly #parts: ExtentNotifierDependencies;
  readonly #store = new DisposableStore();
  readonly #soon: Throttle;
  #generation = 1;
  #shiftedBy = 0;
  #isNew = false;
  #sentCount = 0;
  #isFlood = false;
  #isTelling = false;

  constructor(parts: ExtentNotifierDependencies) {
    this.#parts = parts;
    this.#soon = this.#store.add(
      new Throttle(
        parts.clock,
        () => (this.#isFlood ? FLOOD_PAUSE_MS : PAUSE_MS),
        () => {
          this.#tell();
        },
      ),
    );
    this.#store.add(
      parts.rows.onDidChange((change) => {
        this.#note(change);
      }),
    );
  }

  get generation(): number {
    return this.#generation;
  }

  /** Tells it now. */
  flush(): void {
    this.#soon.flush();
  }

  /** Tells it now if rows have moved since it was told. */
  settle(): void {
    if (this.#shiftedBy !== 0 || this.#isNew) this.flush();
  }

  /** Tells it soon. */
  update(): void {
    this.#soon.request();
  }

  /** Tells it now, to a new page: one that knows nothing of how rows have moved, but of a place it wants back. */
  begin(): void {
    [this.#shiftedBy, this.#isNew] = [0, true];
    this.flush();
  }

  dispose(): void {
    this.#store.dispose();
  }

  #note({ shiftedBy, isNew }: LogRowsChange): void {
    // One step for all that is told at once.
    if ((shiftedBy || isNew) && this.#shiftedBy === 0 && !this.#isNew) this.#generation++;
    if (isNew) this.#isNew = true;
    this.#shiftedBy += shiftedBy ?? 0;
    if (!this.#isTelling) this.#soon.request();
  }

  #tell(): void {
    // Rows that moved a moment ago would be counted, and sent, under the numbers of before.
    this.#isTelling = true;
    this.#parts.rows.settle();
    this.#isTelling = false;
    const generation = this.#generation;
    const [by, isNew] = [this.#shiftedBy, this.#isNew];
    [this.#shiftedBy, this.#isNew] = [0, false];
    const { rowCount: count } = this.#parts.rows;
    this.#isFlood = Math.abs(count - this.#sentCount) > FLOOD_ROWS;
    this.#sentCount = count;
    if (by > 0 && !isNew) this.#parts.post({ type: 'shifted', generation, by });
    const tail = this.#parts.tail(isNew);
    this.#parts.post({ type: 'shape', shape: this.#extent(isNew), ...(tail && { tail }) });
  }

  #extent(isNew: boolean): LogExtent {
    const { rows, facts, anchor } = this.#parts;
    const id = isNew ? anchor() : undefined;
    return {
      generation: this.#generation,
      rowCount: rows.rowCount,
      ...facts(),
      ...(id !== undefined && rows.rowCount > 0 && { anchor: { id, row: rows.rowOf(id) } }),
    };
  }
}

/** What a shape is made of besides the rows. */
export interface ExtentFacts {
  readonly lineCount: number;
  readonly droppedCount: number;
  readonly isStart: boolean;
  readonly isReadingOlder: boolean;
  readonly isFiltered: boolean;
}

/** What shapes are told with. */
export interface ExtentNotifierDependencies {
  readonly rows: LogRows;
  readonly clock: Clock;
  readonly facts: () => ExtentFacts;
  /** Id of the line whose place the page wants to keep. */
  readonly anchor: () => number | undefined;
  /** Rows that go with it. */
  readonly tail: (isNew: boolean) => RowSlice | undefined;
  readonly post: (message: ToPage) => void;
}
