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
 * Pages backwards through a log with time stamps, from its edge on.
 *
 * Where an engine counts records from the end, so many are asked for as were received and are wanted, and the edge
 * is found in the answer by its records: `until` alone would leave out or double records of one stamp, and engines
 * apply it after `tail`. Elsewhere windows of time are read that grow until they hold enough, and records of the
 * edge's stamp are counted.
 *
 * For each part that is asked for an engine goes through much of the log. So a part is larger than a page, and the
 * pages that follow come from what was read already.
 */
export class LogPages {
  readonly #log: PagedLog;
  readonly #boundary: LoadedBoundary;
  /** Parts are read one after the other, so one's memory does for all. */
  readonly #memory = new RecordMemory();
  /** What is left of the part that was read last. */
  #left: Part | undefined;
  /** So many records are read with the next part, where that many pages were asked for. */
  #ahead = 0;
  #window = FIRST_WINDOW;
  #isStart: boolean;

  /** @param isStart nothing stands before the edge. */
  constructor(log: PagedLog, edge: LoadedBoundary, isStart: boolean) {
    this.#log = log;
    this.#boundary = edge;
    this.#isStart = isStart;
  }

  /**
   * The last lines before the edge, which then stands before them: `count`, or a few more; fewer only at the start.
   *
   * @throws EngineError as `Connection.stream`; the edge is where it was then.
   */
  async older(connection: Connection, count: number, signal: AbortSignal): Promise<LogPage> {
    if (this.#isStart || count <= 0) return { lines: [], isStart: this.#isStart };
    const left = this.#left;
    if (left && startIn(left, count) >= 0) return this.#take(left, count);
    this.#forget(left);
    const part = await this.#read(connection, count, signal);
    return part ? this.#take(part, count) : this.#end();
  }

  #read(connection: Connection, count: number, signal: AbortSignal): Promise<Part | undefined> {
    const wanted = SPARE + Math.max(count, Math.min(this.#ahead, MOST_AHEAD * count));
    return this.#log.countsFromEnd
      ? this.#fromEnd(connection, count, wanted, signal)
      : this.#byWindow(connection, count, wanted, signal);
  }

  #end(): LogPage {
    this.#isStart = true;
    this.#forget(undefined);
    return { lines: [], isStart: true };
  }

  #take(part: Part, count: number): LogPage {
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

  /** Its memory is used again. */
  #forget(part: { readonly records: PackedRecords } | undefined): void {
    this.#boundary.keep();
    part?.records.drop(part.records.length);
    this.#left = undefined;
    if (this.#isStart) this.#memory.clear();
  }

  #part(ring: RecordRing, to: number, isStart: boolean): Part {
    const { records, dropped } = ring;
    const { piecesShareStamp } = this.#log;
    const closed = lineBoundaries(records, { isStart, piecesShareStamp });
    return { records, closed, to, dropped, isStart };
  }

  /** Undefined where the edge is not in the log any more. */
  async #fromEnd(
    connection: Connection,
    count: number,
    first: number,
    signal: AbortSignal,
  ): Promise<Part | undefined> {
    let before = -1;
    for (let wanted = first; ; wanted *= 4) {
      const found = await this.#findBoundary(connection, wanted, signal);
      if (!found) return undefined;
      // As many as before of more that were asked for: there are no others.
      const part = this.#part(found.ring, found.to, found.to === before);
      if (part.isStart || startIn(part, count) >= 0 || wanted > MOST_RECORDS) return part;
      this.#forget(part);
      before = found.to;
    }
  }

  async #findBoundary(
    connection: Connection,
    wanted: number,
    signal: AbortSignal,
  ): Promise<{ readonly ring: RecordRing; readonly to: number } | undefined> {
    for (const { behind, margin } of ATTEMPTS) {
      const tail = this.#boundary.received + wanted + behind;
      const ring = new RecordRing(tail, this.#memory);
      await readThrough(connection, this.#log, { tail, until: this.#until(margin) }, ring, signal);
      const to = this.#boundary.findIn(ring.records);
      if (to >= 0) return { ring, to };
      this.#forget(ring);
    }
    return undefined;
  }

  /** A moment at which the edge has passed. */
  #until(margin: number): string | undefined {
    const moment = stampAsSince(this.#boundary.latestMarked);
    if (moment === '') return undefined;
    const [seconds = '0', fraction = '0'] = moment.split('.');
    return `${Number(seconds) + margin}.${fraction}`;
  }

  /** Undefined where nothing was received that would tell where the edge is. */
  async #byWindow(
    connection: Connection,
    count: number,
    first: number,
    signal: AbortSignal,
  ): Promise<Part | undefined> {
    const { before, stamp } = this.#boundary;
    const edge = before.count > 0 ? before : { stamp, count: 0 };
    const end = secondOf(edge.stamp);
    let kept = first;
    while (!Number.isNaN(end)) {
      const isWhole = this.#window > LAST_WINDOW || this.#window > end;
      const since = isWhole ? undefined : String(end - this.#window);
      const newRing = (): WindowRing => new WindowRing(edge, kept, this.#memory);
      const ring = await this.#upToBoundary(connection, { since, tail: 'all' }, newRing, signal);
      const isDropped = ring.dropped.count > 0;
      const part = this.#part(ring, ring.records.length, isWhole && !isDropped);
      if (part.isStart || startIn(part, count) >= 0) return part;
      // What was dropped is nearer than what a longer window would bring.
      if (isDropped && kept < MOST_RECORDS) kept *= 8;
      else if (isWhole) return part;
      else this.#window *= 8;
      this.#forget(part);
    }
    return undefined;
  }

  /**
   * Reads until the edge comes. No `until` is asked for: at such a moment of the present, engines end an answer as if all
   * were well. An answer that ends before the edge counts only if another one ends at the same place: the edge is not
   * in the log any more.
   *
   * @throws EngineError `cut` where each answer ends elsewhere.
   */
  async #upToBoundary(
    connection: Connection,
    range: LogRange,
    newRing: () => WindowRing,
    signal: AbortSignal,
  ): Promise<WindowRing> {
    let before = -1;
    for (let reading = 0; reading < MOST_READINGS; reading++) {
      const ring = newRing();
      await readThrough(connection, this.#log, range, ring, signal);
      if (ring.isDone || ring.received === before) return ring;
      before = ring.received;
      this.#forget(ring);
    }
    throw new EngineError('cut', { endpoint: connection.endpoint.url });
  }
}

/** Lines before those that were read, the newest last. */
export interface LogPage {
  readonly lines: readonly LogLine[];
  /** Whether there are none before these. */
  readonly isStart: boolean;
}

/** Which container's log is paged through, and how its engine keeps it. */
export interface PagedLog extends LogForm {
  readonly id: string;
  /** See `Capabilities`. */
  readonly countsFromEnd: boolean;
  readonly piecesShareStamp: boolean;
}

/**
 * Reads a part of the log through a gate, which may say that it has enough.
 *
 * @returns the engine's own time at the beginning, in seconds; undefined where it does not tell.
 */
export async function readThrough(
  connection: Connection,
  log: PagedLog,
  range: LogRange,
  gate: RecordGate & { readonly isDone?: boolean },
  signal: AbortSignal,
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

/** A part of a log that ends at the edge, or goes on behind it. */
interface Part {
  readonly records: PackedRecords;
  /** See `closedPlaces`. */
  readonly closed: Uint8Array;
  /** How many of them stand before the edge. */
  readonly to: number;
  readonly dropped: StampRun;
  /** Whether nothing stands before them. */
  readonly isStart: boolean;
}

/** Records beyond those that were asked for: pieces of long lines, and what came meanwhile. */
const SPARE = 256;
/** A page that needs more records than this is cut where no line's end is known. */
const MOST_RECORDS = 200_000;
/** With a page so many more are read for those that follow, once there were some; and so many bytes of them, about. */
const [MOST_AHEAD, MOST_AHEAD_BYTES] = [40, 8 * 1024 * 1024];
/** Seconds: the first window before the edge, and the one from which on all is read. */
const [FIRST_WINDOW, LAST_WINDOW] = [60, 100_000_000];
/** So often a part is read whose end does not come. */
const MOST_READINGS = 5;
/** How many records may have come that were not received yet, and how many seconds later their stamps may be. */
const ATTEMPTS = [
  { behind: 0, margin: 0 },
  { behind: 20_000, margin: 1 },
  { behind: 1_000_000, margin: 3600 },
] as const;

/** Where the last `count` lines of a part begin; -1 where it does not reach back so far. */
function startIn({ records, closed, to, isStart }: Part, count: number): number {
  const start = startOfLastLines(records, closed, to, count);
  return start < 0 && isStart ? 0 : start;
}

/** How many records to read next: four times as many, while they are not too large. */
function aheadOf({ records, to }: Part): number {
  let bytes = 0;
  for (let at = 0; at < to; at++) bytes += records.size(at);
  return Math.min(4 * to, Math.floor((to / Math.max(1, bytes)) * MOST_AHEAD_BYTES));
}
