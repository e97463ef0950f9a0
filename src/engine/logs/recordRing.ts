import type { ChunkText } from '../wire/chunkText.ts';
import { LineJoiner, type RecordGate } from './lineJoiner.ts';
import { isLaterStamp } from './logStamps.ts';
import type { LogLine, LogSource } from '../model.ts';
import { PackedRecords, type RecordMemory } from './packedRecords.ts';

/** Keeps the last records. As a gate, it accepts none of them. */
export class RecordRing implements RecordGate {
  readonly #limit: number;
  readonly records: PackedRecords;
  #bytes = 0;
  /** The run of equal stamps at the end of the dropped records; an empty stamp if nothing was dropped. */
  dropped: StampRun = { stamp: '', count: 0 };

  /** @param limit minimum number of records to keep, if there are so many. */
  constructor(limit: number, memory?: RecordMemory) {
    this.#limit = Math.max(1, limit);
    this.records = new PackedRecords(memory);
  }

  accept(source: LogSource, stamp: string, chunk: ChunkText, start: number, end: number): boolean {
    this.records.add(source, stamp, chunk.bytes, start, end);
    this.#bytes += end - start;
    // Half of the bytes can belong to one line, which must not displace all other records for long.
    if (this.records.length > 2 * this.#limit || this.#bytes > MOST_BYTES) this.#trim();
    return false;
  }

  #trim(): void {
    const records = this.records;
    const least = Math.max(1, records.length - this.#limit);
    let drop = 0;
    while (drop < records.length && (drop < least || this.#bytes > MOST_BYTES / 2)) {
      this.#bytes -= records.size(drop);
      drop++;
    }
    this.dropped = stampRunBefore(records, drop, this.dropped);
    records.drop(drop);
  }
}

/** A number of consecutive records with the same stamp. */
export interface StampRun {
  readonly stamp: string;
  readonly count: number;
}

/** Maximum size of the kept records in bytes, regardless of their number. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Keeps the last records before a boundary, which is given as a number of records with its stamp. */
export class WindowRing extends RecordRing {
  readonly #edge: StampRun;
  #seen = 0;
  /** Number of received records, kept or not. */
  received = 0;
  /** Whether the boundary was reached. */
  isDone = false;

  constructor(edge: StampRun, limit: number, memory: RecordMemory) {
    super(limit, memory);
    this.#edge = edge;
  }

  override accept(...record: Parameters<RecordGate['accept']>): boolean {
    const [, stamp] = record;
    this.received++;
    if (stamp === this.#edge.stamp) this.#seen++;
    this.isDone ||= isLaterStamp(stamp, this.#edge.stamp) || this.#seen > this.#edge.count;
    return this.isDone ? false : super.accept(...record);
  }
}

/** Returns the run of equal stamps directly before `at`; `earlier` is the run before the first record. */
export function stampRunBefore(records: PackedRecords, at: number, earlier: StampRun): StampRun {
  if (at === 0) return earlier;
  const stamp = records.stamp(at - 1);
  let start = at;
  while (start > 0 && records.stamp(start - 1) === stamp) start--;
  const isContinued = start === 0 && stamp === earlier.stamp;
  return { stamp, count: at - start + (isContinued ? earlier.count : 0) };
}

/** Converts records to lines, including an unterminated last line. */
export function recordsToLines(
  records: PackedRecords,
  from: number,
  to: number,
  piecesShareStamp: boolean,
): LogLine[] {
  const joiner = new LineJoiner({ hasStamps: false, piecesShareStamp });
  const lines = records.lines(joiner, from, to);
  for (const line of joiner.flush()) lines.push(line);
  return lines;
}

/** On engines that split lines by size only, a shorter piece is the end of a line. */
const SHORTEST_PIECE = 16_384;

/**
 * Returns for each position, including the one after the last record, 1 if no line is open there, so that both sides
 * consist of complete lines. Whether the first record continues a line is unknown, unless the log begins there.
 *
 * @param isStart whether the log begins with these records.
 * @param piecesShareStamp see `Capabilities.stampsPiecesAlike`.
 */
export function lineBoundaries(
  records: PackedRecords,
  isStart: boolean,
  piecesShareStamp: boolean,
): Uint8Array {
  const boundaries = new Uint8Array(records.length + 1);
  boundaries[0] = isStart ? 1 : 0;
  const open = { stdout: false, stderr: false };
  for (let at = 0; at < records.length; at++) {
    const isPiece = !piecesShareStamp || records.size(at) >= SHORTEST_PIECE;
    open[records.source(at)] = !records.endsLine(at) && isPiece;
    boundaries[at + 1] = open.stdout || open.stderr ? 0 : 1;
  }
  return boundaries;
}

/**
 * Returns the start of the last `lines` lines before position `to`: the last line boundary with at least so many
 * lines after it.
 *
 * @param closed see {@link lineBoundaries}.
 * @returns an index in `records`; -1 if the records do not have so many lines.
 */
export function startOfLastLines(
  records: PackedRecords,
  closed: Uint8Array,
  to: number,
  lines: number,
): number {
  let ends = 0;
  for (let at = to; at >= 0; at--) {
    if (at < to && records.endsLine(at)) ends++;
    if (ends >= lines && closed[at] === 1) return at;
  }
  return -1;
}
