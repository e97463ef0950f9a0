import { createHash } from 'node:crypto';
import { ChunkText } from './chunkText.ts';
import { LineJoiner, type RecordGate } from './lineJoiner.ts';
import type { LogLine, LogSource } from './model.ts';

/** One record as an engine sends it: a line, or a piece of one. */
export interface LogRecord {
  readonly source: LogSource;
  /** The engine's own spelling of the moment. */
  readonly stamp: string;
  /** Without the stamp; with the line feed where it ends a line. */
  readonly bytes: Uint8Array;
}

/** Of equal stamps in a row, how many there are. */
export interface StampRun {
  readonly stamp: string;
  readonly count: number;
}

/** What is kept at most, in bytes, however many records were wanted. */
const MOST_BYTES = 64 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Keeps the last records, as a gate that lets none on to the lines. */
export class RecordRing implements RecordGate {
  readonly #limit: number;
  #records: LogRecord[] = [];
  #bytes = 0;
  #dropped: StampRun = { stamp: '', count: 0 };

  /** @param limit how many records at least are kept where there are so many. */
  constructor(limit: number) {
    this.#limit = Math.max(1, limit);
  }

  get records(): readonly LogRecord[] {
    return this.#records;
  }

  /** How many of the stamp that was dropped last were dropped at the end in a row; no stamp where all are kept. */
  get dropped(): StampRun {
    return this.#dropped;
  }

  accept(source: LogSource, stamp: string, chunk: ChunkText, start: number, end: number): boolean {
    const bytes = Buffer.from(chunk.bytes.subarray(start, end));
    this.#records.push({ source, stamp, bytes });
    this.#bytes += bytes.length;
    // Half of the bytes may be one line's: it must not drop all the others for long.
    if (this.#records.length > 2 * this.#limit || this.#bytes > MOST_BYTES) this.#trim();
    return false;
  }

  #trim(): void {
    let drop = Math.max(1, this.#records.length - this.#limit);
    let left = this.#bytes;
    for (const [index, { bytes }] of this.#records.entries()) {
      if (index >= drop && left <= MOST_BYTES / 2) break;
      left -= bytes.length;
      drop = Math.max(drop, index + 1);
    }
    const dropped = this.#records.splice(0, drop);
    this.#bytes = left;
    this.#dropped = runBefore(dropped, dropped.length, this.#dropped);
  }
}

/** The equal stamps directly before a place; `earlier` are those before the first record. */
export function runBefore(records: readonly LogRecord[], at: number, earlier: StampRun): StampRun {
  if (at === 0) return earlier;
  const stamp = records[at - 1]?.stamp ?? '';
  let start = at;
  while (start > 0 && records[start - 1]?.stamp === stamp) start--;
  const goesOn = start === 0 && stamp === earlier.stamp;
  return { stamp, count: at - start + (goesOn ? earlier.count : 0) };
}

/** What tells a record from others, for comparing it with one of another reading. */
export function markOf({ source, stamp, bytes }: LogRecord): string {
  return `${source} ${stamp} ${createHash('sha1').update(bytes).digest('base64')}`;
}

/** Whether a record ends a line. */
export function endsLine({ bytes }: LogRecord): boolean {
  return bytes[bytes.length - 1] === NEWLINE;
}

/** Records into whole lines; what the last ones leave open stays in the joiner. */
export function joinRecords(joiner: LineJoiner, records: readonly LogRecord[]): LogLine[] {
  const lines: LogLine[] = [];
  for (const { source, stamp, bytes } of records)
    joiner.piece(new ChunkText(bytes), { source, timestamp: stamp }, 0, bytes.length, lines);
  return lines;
}

/** Records into lines; what the last ones leave open is a line, too. */
export function linesOf(records: readonly LogRecord[], piecesShareStamp: boolean): LogLine[] {
  const joiner = new LineJoiner({ hasStamps: false, piecesShareStamp });
  return [...joinRecords(joiner, records), ...joiner.flush()];
}

/** Whether all that was read is known, and how the engine cuts long lines. */
export interface RecordFacts {
  /** The records begin with the log. */
  readonly isStart: boolean;
  /** See `Capabilities.stampsPiecesAlike`. */
  readonly piecesShareStamp: boolean;
}

/** Shorter pieces of a line are its end, on engines that cut by size alone. */
const SHORTEST_PIECE = 16_384;

/**
 * For each place, the one behind the last record too, whether no line is open there, so that what stands before
 * it and what stands behind are whole lines each. Whether the first record goes on with a line is not known,
 * unless the log begins there.
 */
export function closedPlaces(
  records: readonly LogRecord[],
  { isStart, piecesShareStamp }: RecordFacts,
): readonly boolean[] {
  const places = [isStart];
  const open = { stdout: false, stderr: false };
  for (const record of records) {
    const isPiece = !piecesShareStamp || record.bytes.length >= SHORTEST_PIECE;
    open[record.source] = !endsLine(record) && isPiece;
    places.push(!open.stdout && !open.stderr);
  }
  return places;
}

/**
 * Where the last `lines` lines before place `to` begin: the last closed place with so many, or more, behind it.
 *
 * @returns an index in `records`; -1 where the records do not reach back so far.
 */
export function startOfLast(
  records: readonly LogRecord[],
  to: number,
  lines: number,
  facts: RecordFacts,
): number {
  const closed = closedPlaces(records.slice(0, to), facts);
  let ends = 0;
  for (let at = to; at >= 0; at--) {
    const record = records[at];
    if (at < to && record && endsLine(record)) ends++;
    if (ends >= lines && closed[at] === true) return at;
  }
  return facts.isStart ? 0 : -1;
}
