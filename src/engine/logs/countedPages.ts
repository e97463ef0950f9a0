import type { Connection } from '../http/connection.ts';
import { LineJoiner } from './lineJoiner.ts';
import type { LogPage } from './logPages.ts';
import { logDecoderFor, requestLogs } from './requestLogs.ts';
import type { LogLine } from '../model.ts';

/**
 * Pages backwards through a log without time stamps. Nothing in it tells a place but the number of lines from its
 * beginning on, so all is read from there, and some pages at once.
 */
export class CountedPages {
  readonly #log: CountedLog;
  #before = 0;
  /** What was read already of the lines directly before those that were given away. */
  #ahead: LogLine[] = [];

  constructor(log: CountedLog) {
    this.#log = log;
  }

  /** Says that so many lines more stand before those that were given away. */
  leftOut(lines: number): void {
    this.#before += lines;
  }

  /** The last `count` lines before those that were given away. @throws EngineError as `Connection.stream`. */
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

/** Which log is paged through, and from where on it was read. */
export interface CountedLog {
  readonly id: string;
  readonly hasTty: boolean;
  readonly since: string | undefined;
}

/** So many pages are read at once. */
const AHEAD = 20;
