import type { LogRow, LogRows } from '../../logs/rows/logRows.ts';
import type { LineStore } from '../../logs/store/lineStore.ts';
import type { StoredLine } from '../../logs/store/storedLine.ts';

const AT_ONCE = 2000;

/**
 * Yields the lines of rows [from, to), including the lines folded below them, in batches. Rows may move in the
 * meantime: each batch continues after the last line yielded, up to the line that was last at the start.
 *
 * @throws the error of the file system if spilled lines cannot be read.
 */
export function* visibleLines(
  rows: LogRows,
  store: LineStore,
  from: number,
  to: number,
): Generator<readonly StoredLine[]> {
  const end = rows.rowAt(to - 1)?.id ?? -Infinity;
  for (let at = from; ;) {
    const piece = rows.slice(at, at + AT_ONCE).filter(({ id }) => id <= end);
    const last = piece.at(-1)?.id;
    if (last === undefined) return;
    yield [...linesOfRows(piece.flatMap(unfolded), store).values()];
    at = rows.rowOf(last);
    if ((rows.rowAt(at)?.id ?? -Infinity) <= last) at++;
  }
}

/**
 * Returns the lines of rows, by ID, as far as they still exist. Adjacent lines are read together.
 *
 * @throws the error of the file system if spilled lines cannot be read.
 */
export function linesOfRows(
  rows: readonly LogRow[],
  store: LineStore,
): ReadonlyMap<number, StoredLine> {
  const lines = new Map<number, StoredLine>();
  for (let at = 0; at < rows.length;) {
    const first = rows[at]?.id ?? 0;
    let end = at + 1;
    while (rows[end]?.id === (rows[end - 1]?.id ?? 0) + 1) end++;
    const read = store.read(first, first + (end - at));
    for (const line of read) lines.set(line.id, line);
    // `read` returns fewer lines if they are very long.
    at += Math.max(1, read.length);
  }
  return lines;
}

/**
 * Yields all lines of a store in batches, up to the line that was last at the start.
 *
 * @throws the error of the file system if spilled lines cannot be read.
 */
export function* allLines(store: LineStore): Generator<readonly StoredLine[]> {
  const end = store.endId;
  for (let at = store.firstId; at < end;) {
    const lines = store.read(at, Math.min(end, at + AT_ONCE));
    yield lines;
    // The oldest lines may have been dropped while the consumer was writing.
    at = Math.max((lines.at(-1)?.id ?? at) + 1, store.firstId);
  }
}

/** Returns the row, followed by the lines folded below it, which have consecutive IDs. */
function unfolded({ id, folded }: LogRow): readonly LogRow[] {
  if (!folded || folded.isOpen) return [{ id }];
  return Array.from({ length: folded.count + 1 }, (_, at) => ({ id: id + at }));
}
