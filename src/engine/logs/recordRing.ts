import type { ChunkText } from '../chunkText.ts';
import { LineJoiner, type RecordGate } from './lineJoiner.ts';
import { isLaterStamp } from './logStamps.ts';
import type { LogLine, LogSource } from '../model.ts';
import { PackedRecords, type RecordMemory } from './packedRecords.ts';

/** Keeps the last records, as a gate that lets none on to the lines. */
export class RecordRing implements RecordGate {
  readonly #limit: number;
  readonly #records: PackedRecords;
  #bytes = 0;
  #dropped: StampRun = { stamp: '', count: 0 };

  /** @param limit how many records at least are kept where there are so many. */
  constructor(limit: number, memory?: RecordMemory) {
    this.#limit = Math.max(1, limit);
    this.#records = new PackedRecords(memory);
  }

  get records(): PackedRecords {
    return this.#records;
  }

  /** How many of the stamp that was dropped last were dropped at the end in a row; no stamp where all are kept. */
  get dropped(): StampRun {
    return this.#dropped;
  }

  accept(source: LogSource, stamp: string, chunk: ChunkText, start: number, end: number): boolean {
    this.#records.add(source, stamp, chunk.bytes, start, end);
    this.#bytes += end - start;
    // Half of the bytes may be one line's: it must not drop all the others for long.
    if (this.#records.length > 2 * this.#limit || this.#bytes > MOST_BYTES) this.#trim();
    return false;
  }

  #trim(): void {
    const records = this.#records;
    const least = Math.max(1, records.length - this.#limit);
    let drop = 0;
    while (drop < records.length && (drop < least || this.#bytes > MOST_BYTES / 2)) {
      this.#bytes -= records.size(drop);
      drop++;
    }
    this.#dropped = stampRunBefore(records, drop, this.#dropped);
    records.drop(drop);
  }
}

/** Of equal stamps in a row, how many there are. */
export interface StampRun {
  readonly stamp: string;
  readonly count: number;
}

/** What is kept at most, in bytes, however many records were wanted. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Keeps the last records up to an edge that is told by the number of records of its stamp. */
export class WindowRing extends RecordRing {
  readonly #edge: StampRun;
  #seen = 0;
  #received = 0;
  #isDone = false;

  constructor(edge: StampRun, limit: number, memory: RecordMemory) {
    super(limit, memory);
    this.#edge = edge;
  }

  /** Whether the edge has come. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** How many records came, kept or not. */
  get received(): number {
    return this.#received;
  }

  override accept(...record: Parameters<RecordGate['accept']>): boolean {
    const [, stamp] = record;
    this.#received++;
    if (stamp === this.#edge.stamp) this.#seen++;
    this.#isDone ||= isLaterStamp(stamp, this.#edge.stamp) || this.#seen > this.#edge.count;
    return this.#isDone ? false : super.accept(...record);
  }
}

/** The equal stamps directly before a place; `earlier` are those before the first record. */
export function stampRunBefore(records: PackedRecords, at: number, earlier: StampRun): StampRun {
  if (at === 0) return earlier;
  const stamp = records.stamp(at - 1);
  let start = at;
  while (start > 0 && records.stamp(start - 1) === stamp) start--;
  const goesOn = start === 0 && stamp === earlier.stamp;
  return { stamp, count: at - start + (goesOn ? earlier.count : 0) };
}

/** Records into lines; what the last ones leave open is a line, too. */
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
 * For each place, the one behind the last record too, 1 where no line is open there, so that what stands before
 * it and what stands behind are whole lines each. Whether the first record goes on with a line is not known,
 * unless the log begins there.
 */
export function lineBoundaries(
  records: PackedRecords,
  { isStart, piecesShareStamp }: RecordFacts,
): Uint8Array {
  const places = new Uint8Array(records.length + 1);
  places[0] = isStart ? 1 : 0;
  const open = { stdout: false, stderr: false };
  for (let at = 0; at < records.length; at++) {
    const isPiece = !piecesShareStamp || records.size(at) >= SHORTEST_PIECE;
    open[records.source(at)] = !records.endsLine(at) && isPiece;
    places[at + 1] = open.stdout || open.stderr ? 0 : 1;
  }
  return places;
}

/**
 * Where the last `lines` lines before place `to` begin: the last closed place with so many, or more, behind it.
 *
 * @param closed see {@link lineBoundaries}.
 * @returns an index in `records`; -1 where the records do not reach back so far.
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
