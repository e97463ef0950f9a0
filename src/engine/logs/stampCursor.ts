import type { ChunkText } from '../chunkText.ts';
import type { RecordGate } from './lineJoiner.ts';
import { isLaterStamp, shiftedDate, stampAsSince } from './logStamps.ts';
import type { LogSource } from '../model.ts';

/** How many records of one stamp came, of each output. */
interface Counts {
  readonly stamp: string;
  stdout: number;
  stderr: number;
}

/** What has to come once more before anything new. */
interface Awaited {
  readonly acceptsGap: boolean;
  /** Whether it has not come yet. */
  readonly isMissing: boolean;
}

/** So many changes of the stamp are remembered at least, and twice as many at most. */
const REMEMBERED = 256;

/**
 * Cursor by the engine's time stamps.
 *
 * Reading on starts at the stamp `since`, inclusive. Of each stamp from there on it is known how many
 * records of each output were received, and so many are dropped. Counts are exact where stamps are equal:
 * all pieces of a long line bear the same one, and Podman 4 knows whole seconds only.
 *
 * Engines before 24 leave out every record older than `since`; later ones only what stands before the first
 * record that is not older; and two outputs need not come in order of time. Hence `since` is as old as it
 * can be: the smallest remembered stamp that is newer than all that is forgotten.
 *
 * Where the engine's clock was set back there is no such stamp, or only ones that leave out what comes next. Then
 * forgotten records come again, too: all is dropped up to the record that was received last.
 */
export class StampCursor implements RecordGate {
  /** Called before the first record after a gap is accepted, see `hasGap`. */
  onGap: (() => void) | undefined;
  readonly #isTailed: boolean;
  // Two generations in the order they came, for this runs for every record: when the younger is full, the
  // older is forgotten as a whole. A stamp may be in there more than once.
  #older: Counts[] = [];
  #younger: Counts[] = [];
  #latest: Counts = { stamp: '', stdout: 0, stderr: 0 };
  /** The newest stamp of which not every record is counted. */
  #forgotten = '';
  /** What is still to come once more; and the newest stamp in it. */
  #expected: Map<string, Counts> | undefined;
  #newestExpected = '';
  #edge: TailEdge | undefined;
  /** Of the record that was received last. */
  #lastStamp = '';
  #lastSource: LogSource = 'stdout';
  /** That record has to come once more before anything new; undefined once it has. */
  #awaited: Awaited | undefined;
  #hasGap = false;
  /** Nothing is new before that record has come. */
  #dropsToLast = false;

  /**
   * @param options `isTailed`: the first reading leaves out records before the first one received; `from`: those
   * before this moment, `seconds[.nanoseconds]`.
   */
  constructor({
    isTailed,
    from,
  }: {
    readonly isTailed: boolean;
    readonly from?: string | undefined;
  }) {
    this.#isTailed = isTailed;
    // What was left out would come as new where the clock was set back to before it.
    if (from !== undefined) this.#forgotten = shiftedDate(from, -1n);
  }

  /** Value of `since` to read on from, `seconds.nanoseconds`; undefined where nothing was received yet. */
  get since(): string | undefined {
    const start = this.#start();
    return start === '' ? undefined : stampAsSince(start);
  }

  /**
   * Whether a new record came before the last received one was repeated: the engine has discarded that one, and
   * an unknown number of later ones. Reset by the next rewind.
   */
  get hasGap(): boolean {
    return this.#hasGap;
  }

  /** Whether there is such a gap that must not be: nothing is accepted until the next rewind. */
  get isStuck(): boolean {
    return this.#hasGap && this.#awaited !== undefined;
  }

  /** How many records an engine has to send once more, about; 0 if that is not known. */
  get remembered(): number {
    if (this.#isSetBack) return 0;
    let sum = this.#edge?.size ?? 0;
    for (const { stdout, stderr } of [...this.#older, ...this.#younger]) sum += stdout + stderr;
    return sum;
  }

  /**
   * Says that the engine is about to send once more what it sent from `since` on.
   *
   * @param options `acceptsGap`: where what was received last does not come once more, go on with what is new.
   * Without, nothing is accepted then. Default true.
   */
  rewind({ acceptsGap = true }: { readonly acceptsGap?: boolean } = {}): void {
    this.#hasGap = false;
    const start = this.#start();
    this.#dropsToLast = this.#isSetBack;
    this.#expected = new Map();
    this.#newestExpected = this.#dropsToLast ? this.#forgotten : '';
    for (const { stamp, stdout, stderr } of [...this.#older, ...this.#younger]) {
      const before = this.#expected.get(stamp) ?? { stdout: 0, stderr: 0 };
      const sum = { stamp, stdout: before.stdout + stdout, stderr: before.stderr + stderr };
      this.#expected.set(stamp, sum);
      if (isLaterStamp(stamp, this.#newestExpected)) this.#newestExpected = stamp;
    }
    if (this.#edge?.stamp === start) this.#edge.rewind();
    // One of the first stamp after a tail may be older than all that is asked for.
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
    if (this.#dropsToLast && this.#isUpToLast(source, timestamp)) return false;
    if (this.#isTailed) {
      this.#edge ??= this.#openEdge(timestamp);
      if (timestamp === this.#edge.stamp) return this.#isNewAtEdge(chunk.text(start, end), source);
    }
    if (this.#expected && this.#isExpected(source, timestamp)) return false;
    if (this.#awaited && !this.#goesOn()) return false;
    this.#count(source, timestamp);
    this.#lastSource = source;
    this.#lastStamp = timestamp;
    return true;
  }

  /** What is later than all that was received is behind the last one, which is lost then. */
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

  /** Whether what was received last has come once more, or its loss is accepted. */
  #goesOn(): boolean {
    const { isMissing = false, acceptsGap = true } = this.#awaited ?? {};
    this.#hasGap = isMissing;
    if (isMissing && !acceptsGap) return false;
    this.#awaited = undefined;
    if (isMissing) this.onGap?.();
    return true;
  }

  /** Of the first stamp received some records are missing, so it is no good place to read on from. */
  #openEdge(stamp: string): TailEdge {
    this.#forgotten = stamp;
    return new TailEdge(stamp);
  }

  /** Whether what was received last is older than what is forgotten. */
  get #isSetBack(): boolean {
    const { stamp } = this.#latest;
    return stamp !== '' && stamp === this.#lastStamp && !isLaterStamp(stamp, this.#forgotten);
  }

  #start(): string {
    const after = this.#isSetBack ? '' : this.#forgotten;
    let start = '';
    for (const { stamp } of [...this.#older, ...this.#younger])
      if (isLaterStamp(stamp, after) && (start === '' || isLaterStamp(start, stamp))) start = stamp;
    // None: all came within the first stamp after a tail.
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
    const [edge, counts] = [this.#edge, this.#expected?.get(this.#lastStamp)];
    const [stamp, source] = [this.#lastStamp, this.#lastSource];
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
 * The first stamp received after a `tail`. Earlier records of the same stamp were left out, so a second
 * reading cannot count on it: it drops all up to the last one received, which it finds by the texts.
 */
class TailEdge {
  readonly stamp: string;
  #received: string[] = [];
  /** Of those received, the first that has not come once more; undefined while nothing is to come again. */
  #position: number | undefined;

  constructor(stamp: string) {
    this.stamp = stamp;
  }

  get size(): number {
    return this.#received.length;
  }

  /** Whether some of what was received has still to come once more. */
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
    if (text === this.#received[this.#position]) this.#position++;
    if (this.#position === this.#received.length) this.#position = undefined;
    return false;
  }
}
