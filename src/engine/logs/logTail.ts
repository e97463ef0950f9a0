import type { ChunkText } from '../chunkText.ts';
import type { Connection } from '../http/connection.ts';
import { StampCursor } from './stampCursor.ts';
import { readThrough, type PagedLog } from './logPages.ts';
import { lineBoundaries, RecordRing, type StampRun } from './recordRing.ts';
import { secondOf } from './logStamps.ts';
import type { LogSource } from '../model.ts';
import type { PackedRecords } from './packedRecords.ts';

/** The end of a log, beginning with a whole line. */
export interface LogTail {
  /** Some before the first line, too. */
  readonly records: PackedRecords;
  /** Where in them the first line begins. */
  readonly at: number;
  /** What directly before the records was read and not kept. */
  readonly dropped: StampRun;
  /** Whether no line stands before the first one. */
  readonly isStart: boolean;
  /** Has received all of them. */
  readonly cursor: StampCursor;
  /** The engine's own time at the beginning, in seconds; undefined where it does not tell. */
  readonly openedAt: string | undefined;
}

/** Which part of the log: see `LogOptions`. */
export interface TailRange {
  readonly tail: number;
  readonly since?: string | undefined;
}

/** The start of a line is looked for among so many records before the tail. */
const MOST_PIECES = 8192;

/**
 * Reads the end of a log. Engines count records, so the end of a long line may be the first: from more records than
 * were asked for, those from a line's start on are the tail.
 *
 * @throws EngineError as `Connection.stream`.
 */
export async function readTail(
  connection: Connection,
  log: PagedLog,
  range: TailRange,
  signal: AbortSignal,
): Promise<LogTail> {
  const { tail } = range;
  for (let spare = 1; ; spare *= 8) {
    const read = log.countsFromEnd
      ? await fromEnd(connection, log, { ...range, tail: tail + spare }, signal)
      : await fromSecond(connection, log, range, spare, signal);
    const at = firstLine(read, tail, log.piecesShareStamp);
    if (at < 0 && !read.isStart && spare < MOST_PIECES) continue;
    const isStart = read.isStart && range.since === undefined && at === 0;
    return { ...read, at: Math.max(0, at), isStart };
  }
}

type Read = Omit<LogTail, 'at' | 'isStart'> & { readonly isStart: boolean };

/** Keeps the last records that a cursor finds new. */
class ReceivedRing extends RecordRing {
  readonly #cursor: StampCursor;

  constructor(limit: number, cursor: StampCursor) {
    super(limit);
    this.#cursor = cursor;
  }

  override accept(
    source: LogSource,
    stamp: string,
    chunk: ChunkText,
    start: number,
    end: number,
  ): boolean {
    const isNew = this.#cursor.accept(source, stamp, chunk, start, end);
    return isNew && super.accept(source, stamp, chunk, start, end);
  }
}

async function fromEnd(
  connection: Connection,
  log: PagedLog,
  range: TailRange,
  signal: AbortSignal,
): Promise<Read> {
  const cursor = new StampCursor({ isTailed: true, from: range.since });
  const ring = new ReceivedRing(range.tail, cursor);
  const openedAt = await readThrough(connection, log, range, ring, signal);
  const { records, dropped } = ring;
  return { records, dropped, cursor, openedAt, isStart: records.length < range.tail };
}

/**
 * What such an engine's `tail` gives serves only to learn since when the last lines are: all since then is read, from
 * the start of a second on, for some of these engines write no more of a stamp.
 */
async function fromSecond(
  connection: Connection,
  log: PagedLog,
  { tail, since }: TailRange,
  spare: number,
  signal: AbortSignal,
): Promise<Read> {
  const count = tail + spare;
  const probe = new RecordRing(count);
  const openedAt = await readThrough(connection, log, { tail: count, since }, probe, signal);
  const isStart = probe.records.length < count;
  const second = secondOf(probe.records.length > 0 ? probe.records.stamp(0) : '');
  const from = isStart || Number.isNaN(second) ? since : String(second);
  const cursor = new StampCursor({ isTailed: false, from });
  const ring = new ReceivedRing(count, cursor);
  await readThrough(connection, log, { since: from, tail: 'all' }, ring, signal);
  const { records, dropped } = ring;
  return { records, dropped, cursor, openedAt, isStart: isStart && dropped.count === 0 };
}

/** Where the tail's first line begins, or the line of which the tail is a piece; -1 where that cannot be told. */
function firstLine({ records, isStart }: Read, tail: number, piecesShareStamp: boolean): number {
  const closed = lineBoundaries(records, { isStart, piecesShareStamp });
  const wanted = Math.max(0, records.length - tail);
  if (tail === 0) return wanted;
  const after = closed.indexOf(1, wanted);
  return after >= 0 && after < records.length ? after : closed.lastIndexOf(1, wanted);
}
