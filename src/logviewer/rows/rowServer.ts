import type { Disposable } from '../../lifetime.ts';
import { linesOfRows, type ReadableStore } from './readableStore.ts';
import type { Row, ToHost, ToPage } from '../protocol.ts';
import type { RowMaker } from './rowMaker.ts';
import { Throttle, type Clock } from '../../time.ts';
import type { ViewerRow, ViewerRows } from './viewerRows.ts';

type Want = Extract<ToHost, { readonly type: 'want' }>;

/** No page shows more rows at once. */
const MOST_ROWS = 1000;
/** Rows that changed are sent again at most so often. */
const AGAIN_MS = 100;

/** Sends the page the rows it wants, and those in view again when what they say has changed. */
export class RowServer implements Disposable {
  readonly #parts: RowServerDependencies;
  readonly #again: Throttle;
  #wanted: Want | undefined;
  /** Of a page that has wanted nothing yet. */
  #position: number | undefined;
  /** What was in view when it was sent last. */
  #sent = '';

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
    this.#send(want);
  }

  /** Sends what is in view again, soon. */
  refresh(): void {
    this.#again.request();
  }

  /** Rows moved: sends those in view again where others are there now, or more is folded below them. */
  review(): void {
    if (!this.#wanted || keyOf(this.#slice(this.#wanted)) === this.#sent) return;
    this.refresh();
  }

  /** There is another page, which has wanted nothing yet. @param place id of the row that stood at its top. */
  begin(place: number | undefined): void {
    this.#wanted = undefined;
    this.#position = place;
  }

  /** The rows as the page would get them. */
  make(shown: readonly ViewerRow[]): readonly Row[] {
    const lines = linesOfRows(shown, this.#parts.store);
    return shown.flatMap(({ id, folded }) => {
      const line = lines.get(id);
      return line ? [this.#parts.maker.row(line, folded)] : [];
    });
  }

  dispose(): void {
    this.#again.dispose();
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
    this.#sent = keyOf(shown);
    const rows = this.make(shown);
    this.#parts.post({ type: 'rows', generation, from: Math.max(0, want.from), rows });
  }

  #slice({ from, to }: Want): readonly ViewerRow[] {
    const start = Math.max(0, from);
    return this.#parts.rows.slice(start, Math.min(to, start + MOST_ROWS));
  }
}

/** What rows are served from. */
export interface RowServerDependencies {
  readonly store: Pick<ReadableStore, 'read'>;
  readonly rows: Pick<ViewerRows, 'slice' | 'settle'>;
  readonly maker: Pick<RowMaker, 'row'>;
  readonly clock: Clock;
  readonly generation: () => number;
  readonly post: (message: ToPage) => void;
  /** Rows cannot be read. */
  readonly onProblem: (error: unknown) => void;
}

function keyOf(rows: readonly ViewerRow[]): string {
  return rows.map(({ id, folded }) => `${id} ${folded?.count ?? 0} ${folded?.isOpen}`).join();
}
