import type { Connection } from '../http/connection.ts';
import { EngineError } from '../errors.ts';
import { LineJoiner, type RecordGate } from './lineJoiner.ts';
import type { LoadedBoundary } from './loadedBoundary.ts';
import {
  lineBoundaries,
  recordsToLines,
  RecordRing,
  startOfLastLines,
  WindowRing,
  type StampRun,
} from './recordRing.ts';
import {
  logDecoderFor,
  replyTime,
  requestLogs,
  type LogForm,
  type LogRange,
} from './requestLogs.ts';
import { secondOf, stampAsSince } from './logStamps.ts';
import type { LogLine } from '../model.ts';
import { RecordMemory, type PackedRecords } from './packedRecords.ts';

/**
 * Pages backwards from the boundary through a log with time stamps.
 *
 * If the engine counts records from the end, as many records are requested as were received plus the page, and
 * the boundary is found by comparing records. `until` alone would skip or repeat records with the same stamp, and
 * engines apply it after `tail`. With other engines, time windows of growing length are read, and the records
 * with the boundary's stamp are counted.
 *
 * An engine reads through much of the log for each request. So a request loads more than one page, and the next
 * pages are taken from what was loaded.
 */
export class LogPages {
  readonly #log: PagedLog;
  readonly #boundary: LoadedBoundary;
  /** Requests are sequential, so they can share one memory. */
  readonly #memory = new RecordMemory();
  /** The rest of the last loaded part. */
  #left: Part | undefined;
  /** Number of records to load with the next part. */
  #ahead = 0;
  #window = FIRST_WINDOW;
  #isStart: boolean;

  /** @param isStart whether nothing is before the boundary. */
  constructor(log: PagedLog, edge: LoadedBoundary, isStart: boolean) {
    this.#log = log;
    this.#boundary = edge;
    this.#isStart = isStart;
  }

  /** The stamp of the last record before the boundary; empty if there is none or it is unknown. */
  get stampBefore(): string {
    return this.#boundary.before.stamp;
  }

  /**
   * Returns the last lines before the boundary, and moves the boundary before them: `count` lines or a few more;
   * fewer only at the start of the log.
   *
   * @throws EngineError as `Connection.stream`; the boundary does not move then.
   */
  async older(connection: Connection, count: number, signal: AbortSignal): Promise<LogPage> {
    if (this.#isStart || count <= 0) return { lines: [], isStart: this.#isStart };
    const left = this.#left;
    if (left && startIn(left, count) >= 0) return this.#pageFrom(left, count);
    this.#forget(left);
    const part = await this.#read({ connection, log: this.#log, signal }, count);
    return part ? this.#pageFrom(part, count) : this.#end();
  }

  #read(access: LogAccess, count: number): Promise<Part | undefined> {
    const wanted = SPARE + Math.max(count, Math.min(this.#ahead, MOST_AHEAD * count));
    return this.#log.countsFromEnd
      ? this.#fromEnd(access, count, wanted)
      : this.#byWindow(access, count, wanted);
  }

  #end(): LogPage {
    this.#isStart = true;
    this.#forget(undefined);
    return { lines: [], isStart: true };
  }

  #pageFrom(part: Part, count: number): LogPage {
    const { records, to, dropped } = part;
    if (part !== this.#left) this.#ahead = aheadOf(part);
    const at = Math.max(0, startIn(part, count));
    if (at < to) this.#boundary.moveTo(records, to, at, dropped);
    this.#isStart = part.isStart && at === 0;
    const lines = recordsToLines(records, at, to, this.#log.piecesShareStamp);
    this.#left = { ...part, to: at };
    if (at === 0) this.#forget(this.#left);
    return { lines, isStart: this.#isStart };
  }

  /** Drops a part and reuses its memory. */
  #forget(part: { readonly records: PackedRecords } | undefined): void {
    this.#boundary.keep();
    part?.records.drop(part.records.length);
    this.#left = undefined;
    if (this.#isStart) this.#memory.clear();
  }

  #part(ring: RecordRing, to: number, isStart: boolean): Part {
    const { records, dropped } = ring;
    const { piecesShareStamp } = this.#log;
    const closed = lineBoundaries(records, isStart, piecesShareStamp);
    return { records, closed, to, dropped, isStart };
  }

  /** Loads a part by counting from the end. Undefined if the boundary is no longer in the log. */
  async #fromEnd(access: LogAccess, count: number, first: number): Promise<Part | undefined> {
    let before = -1;
    for (let wanted = first; ; wanted *= 4) {
      const found = await this.#findBoundary(access, wanted);
      if (!found) return undefined;
      // As many records as with the smaller request: there are no others.
      const part = this.#part(found.ring, found.to, found.to === before);
      if (part.isStart || startIn(part, count) >= 0 || wanted > MOST_RECORDS) return part;
      this.#forget(part);
      before = found.to;
    }
  }

  async #findBoundary(
    access: LogAccess,
    wanted: number,
  ): Promise<{ readonly ring: RecordRing; readonly to: number } | undefined> {
    for (const { behind, margin } of ATTEMPTS) {
      const tail = this.#boundary.received + wanted + behind;
      const ring = new RecordRing(tail, this.#memory);
      await readThrough(access, { tail, until: this.#until(margin) }, ring);
      const to = this.#boundary.findIn(ring.records);
      if (to >= 0) return { ring, to };
      this.#forget(ring);
    }
    return undefined;
  }

  /** Returns a time after the boundary. */
  #until(margin: number): string | undefined {
    const moment = stampAsSince(this.#boundary.latestMarked);
    if (moment === '') return undefined;
    const [seconds = '0', fraction = '0'] = moment.split('.');
    return `${Number(seconds) + margin}.${fraction}`;
  }

  /** Loads a part by time windows. Undefined if nothing was received that identifies the boundary. */
  async #byWindow(access: LogAccess, count: number, first: number): Promise<Part | undefined> {
    const { before, stamp } = this.#boundary;
    const edge = before.count > 0 ? before : { stamp, count: 0 };
    const end = secondOf(edge.stamp);
    let kept = first;
    while (!Number.isNaN(end)) {
      const isWhole = this.#window > LAST_WINDOW || this.#window > end;
      const since = isWhole ? undefined : String(end - this.#window);
      const newRing = (): WindowRing => new WindowRing(edge, kept, this.#memory);
      const ring = await this.#upToBoundary(access, { since, tail: 'all' }, newRing);
      const isDropped = ring.dropped.count > 0;
      const part = this.#part(ring, ring.records.length, isWhole && !isDropped);
      if (part.isStart || startIn(part, count) >= 0) return part;
      // The dropped records are nearer to the boundary than those that a longer window would add.
      if (isDropped && kept < MOST_RECORDS) kept *= 8;
      else if (isWhole) return part;
      else this.#window *= 8;
      this.#forget(part);
    }
    return undefined;
  }

  /**
   * Reads until the boundary. No `until` is sent, because engines end a response early without an error if that
   * time is about now. A response that ends before the boundary counts only if another one ends at the same
   * position: then the boundary is no longer in the log.
   *
   * @throws EngineError `cut` if each response ends at a different position.
   */
  async #upToBoundary(
    access: LogAccess,
    range: LogRange,
    newRing: () => WindowRing,
  ): Promise<WindowRing> {
    let before = -1;
    for (let reading = 0; reading < MOST_READINGS; reading++) {
      const ring = newRing();
      await readThrough(access, range, ring);
      if (ring.isDone || ring.received === before) return ring;
      before = ring.received;
      this.#forget(ring);
    }
    throw new EngineError('cut', { endpoint: access.connection.endpoint.url });
  }
}

/** A page of older lines, newest last. */
export interface LogPage {
  readonly lines: readonly LogLine[];
  /** Whether there are no lines before these. */
  readonly isStart: boolean;
}

/** The log to page through, and how its engine writes it. */
export interface PagedLog extends LogForm {
  readonly id: string;
  /** See `Capabilities`. */
  readonly countsFromEnd: boolean;
  readonly piecesShareStamp: boolean;
}

/** Parameters of log requests. */
export interface LogAccess {
  readonly connection: Connection;
  readonly log: PagedLog;
  readonly signal: AbortSignal;
}

/**
 * Reads a part of the log into a gate, until the gate is done.
 *
 * @returns the engine's time at the start of the response, in seconds; undefined if it is not sent.
 */
export async function readThrough(
  { connection, log, signal }: LogAccess,
  range: LogRange,
  gate: RecordGate & { readonly isDone?: boolean },
): Promise<string | undefined> {
  const { hasTty, hasStamps } = log;
  const query = { ...range, follow: false, hasTty, hasStamps };
  const reply = await requestLogs(connection, log.id, query, signal);
  const decoder = logDecoderFor(reply, new LineJoiner({ hasStamps: log.hasStamps, gate }), log);
  for await (const chunk of reply.body) {
    signal.throwIfAborted();
    decoder.push(chunk);
    if (decoder.failure) throw decoder.failure;
    if (gate.isDone === true) break;
  }
  if (gate.isDone !== true) decoder.end();
  if (decoder.failure) throw decoder.failure;
  return replyTime(reply);
}

/** A part of a log that ends at the boundary or after it. */
interface Part {
  readonly records: PackedRecords;
  /** See `lineBoundaries`. */
  readonly closed: Uint8Array;
  /** Number of records before the boundary. */
  readonly to: number;
  readonly dropped: StampRun;
  /** Whether nothing is before the records. */
  readonly isStart: boolean;
}

/** Records beyond the requested ones: pieces of long lines, and what was written in the meantime. */
const SPARE = 256;
/** A page that needs more records than this can begin within a line. */
const MOST_RECORDS = 200_000;
// Limits of reading ahead: number of pages, and approximate bytes.
const MOST_AHEAD = 40;
const MOST_AHEAD_BYTES = 8 * 1024 * 1024;
// In seconds: the first window before the boundary, and the window from which on the whole log is read.
const FIRST_WINDOW = 60;
const LAST_WINDOW = 100_000_000;
/** Maximum number of attempts to read a part whose response ends before the boundary. */
const MOST_READINGS = 5;
/** For each attempt: how many records may have been written since, and how many seconds later their stamps may be. */
const ATTEMPTS = [
  { behind: 0, margin: 0 },
  { behind: 20_000, margin: 1 },
  { behind: 1_000_000, margin: 3600 },
] as const;

/** Returns the start of the last `count` lines of a part; -1 if the part does not have so many. */
function startIn({ records, closed, to, isStart }: Part, count: number): number {
  const start = startOfLastLines(records, closed, to, count);
  return start < 0 && isStart ? 0 : start;
}

/** Returns how many records to load next: four times as many as before, up to a limit in bytes. */
function aheadOf({ records, to }: Part): number {
  let bytes = 0;
  for (let at = 0; at < to; at++) bytes += records.size(at);
  return Math.min(4 * to, Math.floor((to / Math.max(1, bytes)) * MOST_AHEAD_BYTES));
}
