import type { ChunkText } from '../wire/chunkText.ts';
import type { RecordGate } from './lineJoiner.ts';
import { isLaterStamp } from './logStamps.ts';
import { stampRunBefore, type StampRun } from './recordRing.ts';
import type { LogSource } from '../model.ts';
import { recordMark, type PackedRecords } from './packedRecords.ts';

/** Number of records that identify a position in a log. */
const MARKS = 256;

/**
 * The boundary between the loaded part of a log and the older part. It is identified by the first loaded records,
 * and by their number, because an engine counts from the end.
 */
export class LoadedBoundary implements RecordGate {
  readonly #gate: RecordGate;
  #isMarked = false;
  #marks: string[] = [];
  #first: { readonly source: LogSource; readonly stamp: string } | undefined;
  #latestMarked = '';
  #skip = 0;
  /** Number of records received from the first marked one on. */
  received = 0;
  /** Stamp of the last record before the boundary, and how many records in a row have it, as far as known. */
  before: StampRun = { stamp: '', count: 0 };
  /** Records at the boundary that are not marked yet. Usually the next page comes from the same records. */
  #unmarked: { readonly records: PackedRecords; readonly at: number } | undefined;

  /** @param gate decides which records are new. */
  constructor(gate: RecordGate) {
    this.#gate = gate;
  }

  /** The latest stamp of the marked records; empty if there are none. */
  get latestMarked(): string {
    this.keep();
    return this.#latestMarked;
  }

  /** The stamp of the first marked record; empty if nothing was received. */
  get stamp(): string {
    this.keep();
    return this.#first?.stamp ?? '';
  }

  accept(source: LogSource, stamp: string, chunk: ChunkText, start: number, end: number): boolean {
    if (!this.#gate.accept(source, stamp, chunk, start, end)) return false;
    this.received++;
    if (!this.#isMarked)
      this.#mark(source, stamp, recordMark(source, stamp, chunk.bytes.subarray(start, end)));
    return true;
  }

  /** Sets the received records: the boundary is at `at` in `records`, and `dropped` describes what came before them. */
  settle(records: PackedRecords, at: number, dropped: StampRun): void {
    this.before = stampRunBefore(records, at, dropped);
    const from = Math.max(0, at - 1);
    this.#skip = at - from;
    this.received = records.length - from;
    this.#unmarked = undefined;
    this.#markAgain(records, from);
  }

  /** Moves the boundary from `to` back to `at` in `records`, which must not change until {@link keep} is called. */
  moveTo(records: PackedRecords, to: number, at: number, dropped: StampRun): void {
    this.before = stampRunBefore(records, at, dropped);
    this.received += to - this.#skip - at;
    this.#skip = 0;
    this.#unmarked = { records, at };
    // The next received record need not directly follow these.
    this.#isMarked = true;
  }

  /** Marks the boundary. Call it before the records that the boundary was moved to are dropped. */
  keep(): void {
    if (!this.#unmarked) return;
    const { records, at } = this.#unmarked;
    this.#unmarked = undefined;
    this.#markAgain(records, at);
    this.#isMarked = true;
  }

  /**
   * Finds the boundary in the records of another request, which may end shortly after it.
   *
   * @returns the number of records before the boundary; -1 if the boundary is not found.
   */
  findIn(records: PackedRecords): number {
    this.keep();
    if (!this.#first) return records.length;
    for (let at = 0; at < records.length; at++) if (this.#isAt(records, at)) return at + this.#skip;
    return -1;
  }

  #isAt(records: PackedRecords, at: number): boolean {
    const first = this.#first;
    if (records.stamp(at) !== first?.stamp || records.source(at) !== first.source) return false;
    const length = Math.min(this.#marks.length, records.length - at);
    for (let index = 0; index < length; index++)
      if (records.mark(at + index) !== this.#marks[index]) return false;
    return true;
  }

  #mark(source: LogSource, stamp: string, mark: string): void {
    this.#first ??= { source, stamp };
    this.#marks.push(mark);
    this.#isMarked = this.#marks.length === MARKS;
    if (isLaterStamp(stamp, this.#latestMarked)) this.#latestMarked = stamp;
  }

  #markAgain(records: PackedRecords, from: number): void {
    this.#marks = [];
    this.#first = undefined;
    this.#latestMarked = '';
    const to = Math.min(records.length, from + MARKS);
    for (let at = from; at < to; at++)
      this.#mark(records.source(at), records.stamp(at), records.mark(at));
  }
}
