import type { LogRow, LogRows } from '../../logs/rows/logRows.ts';
import type { LineStore } from '../../logs/store/lineStore.ts';
import type { StoredLine } from '../../logs/store/storedLine.ts';

const AT_ONCE = 2000;

/**
 * The lines of the rows from one to another, and those folded below them, piece by piece. Rows may move meanwhile:
 * it goes on behind the last line it gave, up to the line that was the last one at first.
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

/** The lines of rows, those that are still there. Neighbours are read together. */
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
    // Very long ones come in parts.
    at += Math.max(1, read.length);
  }
  return lines;
}

/** All lines of a store, piece by piece. What comes meanwhile is part of it only up to the end there was. */
export function* allLines(store: LineStore): Generator<readonly StoredLine[]> {
  const end = store.endId;
  for (let at = store.firstId; at < end;) {
    const lines = store.read(at, Math.min(end, at + AT_ONCE));
    yield lines;
    // The oldest may have been dropped while somebody wrote.
    at = Math.max((lines.at(-1)?.id ?? at) + 1, store.firstId);
  }
}

/** What is folded below a line are those that follow it. */
function unfolded({ id, folded }: LogRow): readonly LogRow[] {
  if (!folded || folded.isOpen) return [{ id }];
  return Array.from({ length: folded.count + 1 }, (_, at) => ({ id: id + at }));
}
