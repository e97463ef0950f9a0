import type { Connection } from '../http/connection.ts';
import { LineJoiner, type RecordGate } from './lineJoiner.ts';
import type { LogPage, PagedLog } from './logPages.ts';
import { logDecoderFor, requestLogs, type LogRange } from './requestLogs.ts';
import type { LogLine } from '../model.ts';

/**
 * Pages backwards through a log without time stamps. The only position in such a log is the number of lines from
 * its beginning, so each request reads it from there, several pages at a time.
 */
export class CountedPages {
  readonly #log: CountedLog;
  #before = 0;
  /** Lines that were read ahead, directly before those returned so far. */
  #ahead: LogLine[] = [];

  constructor(log: CountedLog) {
    this.#log = log;
  }

  /** Adds lines that were skipped directly before those returned so far. */
  leftOut(lines: number): void {
    this.#before += lines;
  }

  /** Returns the last `count` lines before those returned so far. @throws EngineError as `Connection.stream`. */
  async older(connection: Connection, count: number, signal: AbortSignal): Promise<LogPage> {
    const to = this.#before;
    const from = Math.max(0, to - Math.max(0, count));
    if (from === to) return { lines: [], isStart: to === 0 };
    if (this.#ahead.length < to - from) {
      const first = Math.max(0, to - AHEAD * (to - from));
      this.#ahead = await this.#read(connection, first, to, signal);
    }
    const lines = this.#ahead.splice(Math.max(0, this.#ahead.length - (to - from)));
    this.#before = from;
    return { lines, isStart: from === 0 };
  }

  async #read(
    connection: Connection,
    from: number,
    to: number,
    signal: AbortSignal,
  ): Promise<LogLine[]> {
    const { id, since, hasTty } = this.#log;
    const form = { hasTty, hasStamps: false };
    const query = { since, tail: 'all', follow: false, ...form } as const;
    const reply = await requestLogs(connection, id, query, signal);
    const joiner = new LineJoiner({ hasStamps: false });
    const decoder = logDecoderFor(reply, joiner, form);
    const lines: LogLine[] = [];
    let seen = 0;
    for await (const chunk of reply.body) {
      signal.throwIfAborted();
      for (const line of decoder.push(chunk)) if (seen++ >= from && seen <= to) lines.push(line);
      if (decoder.failure) throw decoder.failure;
      if (seen >= to) break;
    }
    return lines;
  }
}

/** The log, and the time that it is read from. */
type CountedLog = Pick<PagedLog, 'id' | 'hasTty'> & Pick<LogRange, 'since'>;

/** Number of pages per request. */
const AHEAD = 20;

/**
 * Cursor for a log without time stamps. Every request starts at the same time, and drops as many lines as were
 * already received from there. Exact, but reads those lines again.
 */
export class CountCursor implements RecordGate {
  /** Start of every request, `seconds[.nanoseconds]`; undefined for the start of the log. */
  since: string | undefined;
  #received = 0;
  #toDrop = 0;

  constructor(since: string | undefined) {
    this.since = since;
  }

  /** Call before a request that repeats the log from `since`. */
  rewind(): void {
    this.#toDrop = this.#received;
  }

  /** Starts later requests at this time. Nothing after it has been received yet. */
  moveTo(since: string): void {
    this.since = since;
    this.#received = 0;
  }

  accept(): boolean {
    if (this.#toDrop > 0) {
      this.#toDrop--;
      return false;
    }
    this.#received++;
    return true;
  }
}
