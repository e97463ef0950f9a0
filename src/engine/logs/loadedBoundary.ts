import type { ChunkText } from '../chunkText.ts';
import type { RecordGate } from './lineJoiner.ts';
import { isLaterStamp } from './logStamps.ts';
import { stampRunBefore, type StampRun } from './recordRing.ts';
import type { LogSource } from '../model.ts';
import { recordMark, type PackedRecords } from './packedRecords.ts';

/** So many records tell a place in a log from all others. */
const MARKS = 256;

/**
 * Where what was read of a log begins, told by the first records from there on; and how many there are, for an
 * engine counts from the end.
 */
export class LoadedBoundary implements RecordGate {
  readonly #gate: RecordGate;
  #isMarked = false;
  #marks: string[] = [];
  #first: { readonly source: LogSource; readonly stamp: string } | undefined;
  #latestMarked = '';
  #skip = 0;
  #received = 0;
  #before: StampRun = { stamp: '', count: 0 };
  /** Records at which it stands, not marked yet: most pages are followed by one out of the same records. */
  #unmarked: { readonly records: PackedRecords; readonly at: number } | undefined;

  /** @param gate tells the records that are new. */
  constructor(gate: RecordGate) {
    this.#gate = gate;
  }

  /** How many records were received from the first marked one on. */
  get received(): number {
    return this.#received;
  }

  /** The latest stamp among the marked records; empty where none is. */
  get latestMarked(): string {
    this.keep();
    return this.#latestMarked;
  }

  /** The stamp of the last record before the edge, and how many of it stand directly there, as far as known. */
  get before(): StampRun {
    return this.#before;
  }

  /** The stamp of the first marked record; empty where nothing was received. */
  get stamp(): string {
    this.keep();
    return this.#first?.stamp ?? '';
  }

  accept(source: LogSource, stamp: string, chunk: ChunkText, start: number, end: number): boolean {
    if (!this.#gate.accept(source, stamp, chunk, start, end)) return false;
    this.#received++;
    if (!this.#isMarked)
      this.#mark(source, stamp, recordMark(source, stamp, chunk.bytes.subarray(start, end)));
    return true;
  }

  /** Says that `records` is what was received, that those up to `at` stand before the edge, and `dropped` before all. */
  settle(records: PackedRecords, at: number, dropped: StampRun): void {
    this.#before = stampRunBefore(records, at, dropped);
    const from = Math.max(0, at - 1);
    this.#skip = at - from;
    this.#received = records.length - from;
    this.#unmarked = undefined;
    this.#markAgain(records, from);
  }

  /**
   * Says that of `records` those up to `to` stood before the edge, and that it now stands at `at` in them: they are to
   * stay as they are until {@link keep}.
   */
  moveTo(records: PackedRecords, to: number, at: number, dropped: StampRun): void {
    this.#before = stampRunBefore(records, at, dropped);
    this.#received += to - this.#skip - at;
    this.#skip = 0;
    this.#unmarked = { records, at };
    // What comes next need not follow directly on these.
    this.#isMarked = true;
  }

  /** Notes what tells where it stands: the records it was moved to are about to be forgotten. */
  keep(): void {
    if (!this.#unmarked) return;
    const { records, at } = this.#unmarked;
    this.#unmarked = undefined;
    this.#markAgain(records, at);
    this.#isMarked = true;
  }

  /**
   * Finds the edge in another reading, which may end soon behind it.
   *
   * @returns how many of the records stand before it; -1 where it is not among them.
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
