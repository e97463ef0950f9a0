import { StampCursor } from './stampCursor.ts';
import { readThrough, type LogAccess } from './logPages.ts';
import { lineBoundaries, RecordRing, type StampRun } from './recordRing.ts';
import { secondOf } from './logStamps.ts';
import type { RecordGate } from './lineJoiner.ts';
import type { PackedRecords } from './packedRecords.ts';
import type { LogRange } from './requestLogs.ts';

/** The end of a log, starting with a complete line. */
export interface LogTail {
  /** Records of the tail, with some before its first line. */
  readonly records: PackedRecords;
  /** Index of the first record of the first line. */
  readonly at: number;
  /** Stamps of records that were read directly before the kept ones, but not kept. */
  readonly dropped: StampRun;
  /** Whether there is no line before the first one. */
  readonly isStart: boolean;
  /** A cursor that has received all records. */
  readonly cursor: StampCursor;
  /** The engine's time at the start of the response, in seconds; undefined if it is not sent. */
  readonly openedAt: string | undefined;
}

/** The part of the log to read: see `LogOptions`. */
type TailRange = Pick<LogRange, 'since'> & { readonly tail: number };

/** Number of records before the tail that are searched for the start of a line. */
const MOST_PIECES = 8192;

/**
 * Reads the end of a log. Engines count records, so the first one can be the end of a long line. More records
 * than requested are read, and the tail begins at the start of a line.
 *
 * @throws EngineError as `Connection.stream`.
 */
export async function readTail(access: LogAccess, range: TailRange): Promise<LogTail> {
  const { tail } = range;
  const { log } = access;
  for (let spare = 1; ; spare *= 8) {
    const read = log.countsFromEnd
      ? await fromEnd(access, { ...range, tail: tail + spare })
      : await fromSecond(access, range, spare);
    const at = firstLine(read, tail, log.piecesShareStamp);
    if (at < 0 && !read.isStart && spare < MOST_PIECES) continue;
    const isStart = read.isStart && range.since === undefined && at === 0;
    return { ...read, at: Math.max(0, at), isStart };
  }
}

type Read = Omit<LogTail, 'at'>;

/** Keeps the last records that are new to a cursor. */
class ReceivedRing extends RecordRing {
  readonly #cursor: StampCursor;

  constructor(limit: number, cursor: StampCursor) {
    super(limit);
    this.#cursor = cursor;
  }

  override accept(...record: Parameters<RecordGate['accept']>): boolean {
    return this.#cursor.accept(...record) && super.accept(...record);
  }
}

async function fromEnd(access: LogAccess, range: TailRange): Promise<Read> {
  const cursor = new StampCursor({ isTailed: true, from: range.since });
  const ring = new ReceivedRing(range.tail, cursor);
  const openedAt = await readThrough(access, range, ring);
  const { records, dropped } = ring;
  return { records, dropped, cursor, openedAt, isStart: records.length < range.tail };
}

/**
 * Reads the end of a log if the engine does not count records exactly. `tail` is only used to find the time of the last
 * lines; then the log is read from the start of that second, because some engines write stamps in whole seconds.
 */
async function fromSecond(
  access: LogAccess,
  { tail, since }: TailRange,
  spare: number,
): Promise<Read> {
  const count = tail + spare;
  const probe = new RecordRing(count);
  const openedAt = await readThrough(access, { tail: count, since }, probe);
  const isStart = probe.records.length < count;
  const second = secondOf(probe.records.length > 0 ? probe.records.stamp(0) : '');
  const from = isStart || Number.isNaN(second) ? since : String(second);
  const cursor = new StampCursor({ isTailed: false, from });
  const ring = new ReceivedRing(count, cursor);
  await readThrough(access, { since: from, tail: 'all' }, ring);
  const { records, dropped } = ring;
  return { records, dropped, cursor, openedAt, isStart: isStart && dropped.count === 0 };
}

/** Returns the start of the tail's first line, or of the line that the tail is part of; -1 if it is unknown. */
function firstLine({ records, isStart }: Read, tail: number, piecesShareStamp: boolean): number {
  const closed = lineBoundaries(records, isStart, piecesShareStamp);
  const wanted = Math.max(0, records.length - tail);
  if (tail === 0) return wanted;
  const after = closed.indexOf(1, wanted);
  return after >= 0 && after < records.length ? after : closed.lastIndexOf(1, wanted);
}
