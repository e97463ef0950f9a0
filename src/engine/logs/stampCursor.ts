import type { ChunkText } from '../wire/chunkText.ts';
import type { RecordGate } from './lineJoiner.ts';
import { isLaterStamp, shiftedDate, stampAsSince } from './logStamps.ts';
import type { LogSource } from '../model.ts';

/** Number of received records with one stamp, per stream. */
interface Counts {
  readonly stamp: string;
  stdout: number;
  stderr: number;
}

/** The last received record, which has to be repeated before anything new. */
interface Awaited {
  readonly acceptsGap: boolean;
  /** Whether the record has not been repeated yet. */
  readonly isMissing: boolean;
}

/** Minimum number of stamp changes that are remembered; the maximum is twice as many. */
const REMEMBERED = 256;

/**
 * Cursor by the engine's time stamps.
 *
 * A later request starts at the stamp `since`, inclusive. For each stamp from there on, the cursor knows how many
 * records of each stream were received, and drops so many. Counting is exact for equal stamps: all pieces of a
 * long line have the same stamp, and Podman 4 writes whole seconds only.
 *
 * Docker Engine before 24 omits every record older than `since`; later versions omit only what is before the
 * first record that is not older; and stdout and stderr are not necessarily in order of time. Therefore `since`
 * is as old as possible: the smallest remembered stamp that is newer than all forgotten ones.
 *
 * If the engine's clock was set back, there is no such stamp, or it would skip new records. Then forgotten
 * records are repeated, too, and everything up to the last received record is dropped.
 *
 * If the clock was set back shortly before a tail, records from before the tail can be later than all received ones,
 * just as new ones after a gap. They are accepted, and so are those between them and the last received one. To drop
 * them, all later records would have to be held back until the last received one comes, which never happens after a
 * gap: a repeated line is better than a withheld one.
 */
export class StampCursor implements RecordGate {
  /**
   * Whether a new record arrived before the last received one was repeated: the engine has discarded that one,
   * and an unknown number of later ones. Reset by the next rewind.
   */
  hasGap = false;
  /** Called before the first record after a gap is accepted; see `hasGap`. */
  onGap: (() => void) | undefined;
  readonly #isTailed: boolean;
  // Two generations in the order of arrival, because this runs for every record: when the younger one is full,
  // the older one is forgotten as a whole. The same stamp can be in there more than once.
  #older: Counts[] = [];
  #younger: Counts[] = [];
  #latest: Counts = { stamp: '', stdout: 0, stderr: 0 };
  /** The newest stamp of which not every record is counted. */
  #forgotten = '';
  /** The records to be repeated by stamp, and the newest of these stamps. */
  #expected: Map<string, Counts> | undefined;
  #newestExpected = '';
  #edge: TailEdge | undefined;
  /** Stamp and stream of the last received record. */
  #lastStamp = '';
  #lastSource: LogSource = 'stdout';
  /** Record that has to be repeated before anything new; undefined once it was. */
  #awaited: Awaited | undefined;
  /** Whether everything is dropped until that record is repeated. */
  #dropsToLast = false;

  /**
   * @param options `isTailed`: the first request omits records before the first received one; `from`: omits those
   * before this time, `seconds[.nanoseconds]`.
   */
  constructor({ isTailed, from }: { readonly isTailed: boolean; readonly from?: string }) {
    this.#isTailed = isTailed;
    // Omitted records would be taken for new ones if the clock was set back to before this time.
    if (from !== undefined) this.#forgotten = shiftedDate(from, -1n);
  }

  /** Value of `since` for the next request, `seconds.nanoseconds`; undefined if nothing was received yet. */
  get since(): string | undefined {
    const start = this.#start();
    return start === '' ? undefined : stampAsSince(start);
  }

  /** Whether there is a gap that is not acceptable. Nothing is accepted until the next rewind. */
  get isStuck(): boolean {
    return this.hasGap && this.#awaited !== undefined;
  }

  /** Approximate number of records that the next request repeats; 0 if unknown. */
  get remembered(): number {
    if (this.#isSetBack) return 0;
    let sum = this.#edge?.size ?? 0;
    for (const { stdout, stderr } of [...this.#older, ...this.#younger]) sum += stdout + stderr;
    return sum;
  }

  /** Returns the number of received records by stamp, as far as they are remembered. */
  counts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { stamp, stdout, stderr } of [...this.#older, ...this.#younger])
      counts.set(stamp, (counts.get(stamp) ?? 0) + stdout + stderr);
    return counts;
  }

  /**
   * Call before a request that repeats the log from `since`.
   *
   * @param options `acceptsGap`: if the last received record is not repeated, continue with new ones; otherwise
   * nothing is accepted then. Default: true.
   */
  rewind({ acceptsGap = true }: { readonly acceptsGap?: boolean } = {}): void {
    this.hasGap = false;
    const start = this.#start();
    this.#dropsToLast = this.#isSetBack || this.#reachesEdge;
    this.#expected = new Map();
    this.#newestExpected = this.#dropsToLast ? this.#forgotten : '';
    for (const { stamp, stdout, stderr } of [...this.#older, ...this.#younger]) {
      const before = this.#expected.get(stamp) ?? { stdout: 0, stderr: 0 };
      const sum = { stamp, stdout: before.stdout + stdout, stderr: before.stderr + stderr };
      this.#expected.set(stamp, sum);
      if (isLaterStamp(stamp, this.#newestExpected)) this.#newestExpected = stamp;
    }
    if (this.#edge?.stamp === start) this.#edge.rewind();
    // A record of the first stamp after a tail can be older than the requested part.
    const isAskedFor = this.#lastStamp !== '' && !isLaterStamp(start, this.#lastStamp);
    this.#awaited = isAskedFor ? this.#await(acceptsGap) : undefined;
  }

  accept(
    source: LogSource,
    timestamp: string,
    chunk: ChunkText,
    start: number,
    end: number,
  ): boolean {
    if (timestamp === '') return true;
    if (this.#dropsToLast && this.#isUpToLast(source, timestamp)) {
      if (timestamp === this.#edge?.stamp) this.#edge.repeat(chunk.text(start, end));
      return false;
    }
    if (this.#isTailed) {
      this.#edge ??= this.#openEdge(timestamp);
      if (timestamp === this.#edge.stamp) return this.#isNewAtEdge(chunk.text(start, end), source);
    }
    if (this.#expected && this.#isExpected(source, timestamp)) return false;
    if (this.#awaited && !this.#canContinue()) return false;
    this.#count(source, timestamp);
    this.#lastSource = source;
    this.#lastStamp = timestamp;
    return true;
  }

  /**
   * Whether a record is to be dropped while waiting for the last received one. A record later than all received
   * ones comes after it, so that one is lost.
   */
  #isUpToLast(source: LogSource, stamp: string): boolean {
    this.#dropsToLast =
      this.#awaited?.isMissing === true && !isLaterStamp(stamp, this.#newestExpected);
    if (this.#dropsToLast) this.#isExpected(source, stamp);
    return this.#dropsToLast;
  }

  #isNewAtEdge(text: string, source: LogSource): boolean {
    if (!this.#edge?.accept(text)) return false;
    this.#lastSource = source;
    this.#lastStamp = this.#edge.stamp;
    return true;
  }

  /** Whether the last received record was repeated, or its loss is accepted. */
  #canContinue(): boolean {
    const { isMissing = false, acceptsGap = true } = this.#awaited ?? {};
    this.hasGap = isMissing;
    if (isMissing && !acceptsGap) return false;
    this.#awaited = undefined;
    if (isMissing) this.onGap?.();
    return true;
  }

  /** Some records of the first received stamp are missing, so requests should not start there. */
  #openEdge(stamp: string): TailEdge {
    this.#forgotten = stamp;
    return new TailEdge(stamp);
  }

  /** Whether the last received record is older than forgotten ones. */
  get #isSetBack(): boolean {
    const { stamp } = this.#latest;
    return stamp !== '' && stamp === this.#lastStamp && !isLaterStamp(stamp, this.#forgotten);
  }

  /** Whether the next request may return records from before the tail: stdout and stderr are not in order of time. */
  get #reachesEdge(): boolean {
    return this.#edge !== undefined && this.#edge.stamp === this.#forgotten;
  }

  #start(): string {
    const after = this.#isSetBack ? '' : this.#forgotten;
    let start = '';
    for (const { stamp } of [...this.#older, ...this.#younger])
      if (isLaterStamp(stamp, after) && (start === '' || isLaterStamp(start, stamp))) start = stamp;
    // Nothing counted: all received records have the first stamp after a tail.
    return start || this.#latest.stamp || (this.#edge?.stamp ?? '');
  }

  #isExpected(source: LogSource, stamp: string): boolean {
    const counts = this.#expected?.get(stamp);
    if (counts && counts[source] > 0) {
      counts[source]--;
      return true;
    }
    if (isLaterStamp(stamp, this.#newestExpected)) this.#expected = undefined;
    return false;
  }

  #await(acceptsGap: boolean): Awaited {
    const edge = this.#edge;
    const counts = this.#expected?.get(this.#lastStamp);
    const stamp = this.#lastStamp;
    const source = this.#lastSource;
    return {
      acceptsGap,
      get isMissing(): boolean {
        return edge?.stamp === stamp ? edge.isExpected : (counts?.[source] ?? 0) > 0;
      },
    };
  }

  #count(source: LogSource, stamp: string): void {
    if (stamp !== this.#latest.stamp) {
      this.#latest = { stamp, stdout: 0, stderr: 0 };
      if (this.#younger.length === REMEMBERED) this.#forgetOlder();
      this.#younger.push(this.#latest);
    }
    this.#latest[source]++;
  }

  #forgetOlder(): void {
    for (const { stamp } of this.#older)
      if (isLaterStamp(stamp, this.#forgotten)) this.#forgotten = stamp;
    this.#older = this.#younger;
    this.#younger = [];
  }
}

/**
 * The first stamp received after a `tail`. Earlier records with the same stamp were omitted, so the next request
 * cannot count them. It drops everything up to the last received record, which is found by comparing texts.
 */
class TailEdge {
  readonly stamp: string;
  #received: string[] = [];
  /** Index of the first received text that was not repeated yet; undefined if no repetition is expected. */
  #position: number | undefined;

  constructor(stamp: string) {
    this.stamp = stamp;
  }

  get size(): number {
    return this.#received.length;
  }

  /** Whether some received records still have to be repeated. */
  get isExpected(): boolean {
    return this.#position !== undefined;
  }

  rewind(): void {
    this.#received = this.#received.slice(-REMEMBERED);
    this.#position = 0;
  }

  accept(text: string): boolean {
    if (this.#position === undefined) {
      this.#received.push(text);
      if (this.#received.length > 2 * REMEMBERED)
        this.#received = this.#received.slice(-REMEMBERED);
      return true;
    }
    this.repeat(text);
    return false;
  }

  /** Handles a record that is not new. */
  repeat(text: string): void {
    if (this.#position === undefined) return;
    if (text === this.#received[this.#position]) this.#position++;
    if (this.#position === this.#received.length) this.#position = undefined;
  }
}
