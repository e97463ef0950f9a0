import type { LogExtent, ToHost } from '../../protocol.ts';
import type { RowList } from './rowList.ts';

/** Asks for older lines when the first ones come near: once for each approach. */
export class OlderLinesTrigger {
  readonly #tell: (message: ToHost) => void;
  #hasAsked = false;

  constructor(tell: (message: ToHost) => void) {
    this.#tell = tell;
  }

  /** Looks how near the beginning is. A filter that leaves few rows is no wish to read everything. */
  check(shape: LogExtent, { isFollowing, page, position }: RowList): void {
    const isNear = isFollowing
      ? !shape.isFiltered && shape.rowCount < page
      : position.row < 2 * page;
    if (!isNear) this.#hasAsked = false;
    const { isStart, isReadingOlder, droppedCount, rowCount } = shape;
    const hasNone = isStart || isReadingOlder || droppedCount > 0 || rowCount === 0;
    if (!isNear || hasNone || this.#hasAsked) return;
    this.#hasAsked = true;
    this.#tell({ type: 'older' });
  }

  /** Older lines have come: more may be asked for. */
  came(): void {
    this.#hasAsked = false;
  }
}
