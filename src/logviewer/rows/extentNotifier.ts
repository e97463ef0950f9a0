import { DisposableStore, type Disposable } from '../../lifetime.ts';
import type { LogExtent, ToPage } from '../protocol.ts';
import { Throttle, type Clock } from '../../time.ts';
import type { ViewerRowsChange, ViewerRows } from './viewerRows.ts';

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

  /** Tells it now if rows have moved since it was told. */
  settle(): void {
    if (this.#shiftedBy !== 0 || this.#isNew) this.#soon.flush();
  }

  /** Tells it soon. */
  update(): void {
    this.#soon.request();
  }

  /** Tells it now, to a new page: one that knows nothing of how rows have moved, but of a place it wants back. */
  begin(): void {
    [this.#shiftedBy, this.#isNew] = [0, true];
    this.#soon.flush();
  }

  dispose(): void {
    this.#store.dispose();
  }

  #note({ shiftedBy, isNew }: ViewerRowsChange): void {
    // One step for all that is told at once.
    if ((shiftedBy || isNew) && this.#shiftedBy === 0 && !this.#isNew) this.#generation++;
    if (isNew) this.#isNew = true;
    this.#shiftedBy += shiftedBy ?? 0;
    this.#soon.request();
  }

  #tell(): void {
    const generation = this.#generation;
    const [by, isNew] = [this.#shiftedBy, this.#isNew];
    [this.#shiftedBy, this.#isNew] = [0, false];
    const { count } = this.#parts.rows;
    this.#isFlood = Math.abs(count - this.#sentCount) > FLOOD_ROWS;
    this.#sentCount = count;
    if (by > 0 && !isNew) this.#parts.post({ type: 'shifted', generation, by });
    this.#parts.post({ type: 'shape', shape: this.#extent(isNew) });
  }

  #extent(isNew: boolean): LogExtent {
    const { rows, facts, anchor } = this.#parts;
    const id = isNew ? anchor() : undefined;
    return {
      generation: this.#generation,
      rowCount: rows.count,
      ...facts(),
      ...(id !== undefined && rows.count > 0 && { anchor: { id, row: rows.rowOf(id) } }),
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
  readonly rows: Pick<ViewerRows, 'count' | 'rowOf' | 'onDidChange'>;
  readonly clock: Clock;
  readonly facts: () => ExtentFacts;
  /** Id of the line whose place the page wants to keep. */
  readonly anchor: () => number | undefined;
  readonly post: (message: ToPage) => void;
}
