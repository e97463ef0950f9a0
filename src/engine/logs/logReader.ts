import { capabilitiesOf } from '../capabilities/capabilities.ts';
import type { Connection } from '../http/connection.ts';
import { BurstDetector } from './burstDetector.ts';
import { CountCursor, CountedPages } from './countedPages.ts';
import { monotonicClock, type Clock } from '../../base/time.ts';
import { TruncationGuard } from './truncationGuard.ts';
import { LineJoiner } from './lineJoiner.ts';
import { LoadedBoundary } from './loadedBoundary.ts';
import { StampCursor } from './stampCursor.ts';
import { LogPages, type LogAccess, type LogPage, type PagedLog } from './logPages.ts';
import { isFramed, logDecoderFor, replyTime, requestLogs, type LogRange } from './requestLogs.ts';
import { stampAsSince } from './logStamps.ts';
import { readTail } from './logTail.ts';
import type { LogLine } from '../model.ts';
import { RawLogDecoder, type LogDecoder } from './rawLogDecoder.ts';
import type { StreamReply } from '../http/engineRequest.ts';

type Batches = AsyncIterable<readonly LogLine[]>;
type Pieces = AsyncIterable<Uint8Array>;

/** Records that can arrive between two requests if the second one is limited by `tail`. */
const MEANWHILE = 1000;

/**
 * Reads the log of a container in several requests: the first as in the options, each later one from where the
 * previous one ended, without repeated or lost lines. `GET /containers/{id}/logs`.
 *
 * A followed log can lack its end: Docker 20.10 omits an unterminated last line, Podman 4 thousands of lines of a
 * fast log. Another request without `follow` returns them.
 */
export class LogReader {
  readonly #id: string;
  readonly #options: LogOptions;
  readonly #clock: Clock;
  #log: PagedLog | undefined;
  #cursor: StampCursor | CountCursor | undefined;
  #pages: LogPages | CountedPages | undefined;
  #joiner = new LineJoiner({ hasStamps: false });
  #followsWhole = true;
  #isRead = false;
  #openedAt: string | undefined;
  /** Chunks of a followed log that may have gaps. The next request returns them again. */
  #unsure: { readonly decoder: LogDecoder; readonly chunks: readonly Uint8Array[] } | undefined;
  /** Whether everything up to the first request is known to be received, even if no line was received. */
  #isPastRead = false;
  #gap: readonly LogLine[] | undefined;
  /** The incomplete last line of a log without stamps. The next request returns it again. */
  #rest = '';

  constructor(id: string, options: LogOptions, clock: Clock = monotonicClock) {
    this.#id = id;
    this.#options = options;
    this.#clock = clock;
  }

  /**
   * Starts a request. Resolves when the engine has responded.
   *
   * @returns one batch of lines per chunk. An unterminated last line is held back: see `flush`.
   * @throws EngineError: `notFound`, `failed` for log drivers that do not support reading; while iterating `cut`,
   * `badAnswer`, and `failed` for errors reported within the stream.
   */
  async open(connection: Connection, reading: LogReading, signal: AbortSignal): Promise<Batches> {
    const log = (this.#log ??= await this.#prepare(connection, signal));
    const access = { connection, log, signal };
    const isFirst = !this.#isRead;
    const isPaged = isFirst && reading.onCaughtUp !== undefined;
    const { tail } = this.#options;
    const isBounded = reading.endsBefore !== undefined;
    const readsTail = isPaged || (isFirst && !log.countsFromEnd && !isBounded);
    if (readsTail && tail !== 'all' && log.hasStamps) {
      const batches = one(await this.#readTail(access, tail));
      return reading.follow ? this.#thenFollow(batches, access, reading) : batches;
    }
    const moment = stampAsSince(reading.runStartedAt ?? '');
    if (moment !== '' && this.#cursor instanceof CountCursor) this.#cursor.moveTo(moment);
    const until = stampAsSince(reading.endsBefore ?? '') || undefined;
    const follow = reading.follow && this.#followsWhole && !isPaged;
    // A few past lines would have arrived immediately; requesting them again with `tail` would hide new ones.
    this.#isPastRead ||= follow && this.#options.tail !== 'all';
    const range = isFirst ? this.#firstRange() : this.#nextRange();
    const reply = await this.#ask(access, { ...range, follow, until });
    await reading.onAnswered?.();
    const pieces = this.#batches(reply, settling(reply.body, reading), signal);
    const batches = this.#tailed(pieces, isFirst);
    const followsLater = reading.follow && !follow;
    return followsLater ? this.#thenFollow(batches, access, reading) : batches;
  }

  /**
   * Returns lines before the first received one, then with each call lines before those. Exact if the first request had
   * `onCaughtUp`; otherwise the first received line can be the end of a longer one. Do not call it concurrently.
   *
   * @throws EngineError as `open`; the same lines can be requested again then.
   */
  async older(connection: Connection, count: number, signal: AbortSignal): Promise<LogPage> {
    return this.#pages?.older(connection, count, signal) ?? { lines: [], isStart: this.#isRead };
  }

  /** The stamp of the last record before the first line; empty if there is none or it is unknown. */
  get stampBefore(): string {
    return this.#pages instanceof LogPages ? this.#pages.stampBefore : '';
  }

  /**
   * Returns whether the engine discarded unread lines before the latest batch, and resets that. If it did, the
   * result has the open lines whose rest is lost.
   */
  consumeGap(): readonly LogLine[] | undefined {
    const gap = this.#gap;
    this.#gap = undefined;
    return gap;
  }

  /** Returns the unterminated last lines. Call it when the container has exited and nothing more will be read. */
  flush(): readonly LogLine[] {
    const lines = [...this.#flushUnsure(), ...this.#joiner.flush()];
    if (this.#rest !== '') lines.push({ source: 'stdout', timestamp: '', text: this.#rest });
    this.#rest = '';
    return lines;
  }

  async #prepare(connection: Connection, signal: AbortSignal): Promise<PagedLog> {
    const { hasTty, wantsStamps = true, tail, since } = this.#options;
    const can = capabilitiesOf(await connection.info(signal));
    this.#followsWhole = can.followsLogsWhole;
    const log = {
      id: this.#id,
      hasTty,
      // Podman writes a stamp at each end of a write. Without frames, a stamp cannot be distinguished from the text.
      hasStamps: wantsStamps || !hasTty || can.stampsTerminalLines,
      countsFromEnd: can.countsFromEnd,
      piecesShareStamp: can.stampsPiecesAlike,
    };
    const isTailed = tail !== 'all';
    if (log.hasStamps) this.#use(log, new StampCursor({ isTailed, from: since }));
    else {
      this.#cursor = new CountCursor(since);
      this.#pages = new CountedPages({ ...log, since });
      this.#joiner = new LineJoiner({ hasStamps: false, gate: this.#cursor });
    }
    return log;
  }

  /** Uses this cursor from now on. */
  #use(log: PagedLog, cursor: StampCursor): LoadedBoundary {
    this.#cursor = cursor;
    cursor.onGap = () => {
      this.#gap = this.#joiner.flush();
    };
    const isWhole = this.#options.tail === 'all' && this.#options.since === undefined;
    const edge = new LoadedBoundary(cursor);
    this.#pages = isWhole ? undefined : new LogPages(log, edge, false);
    const { piecesShareStamp } = log;
    const gate = isWhole ? cursor : edge;
    this.#joiner = new LineJoiner({ hasStamps: true, gate, piecesShareStamp });
    return edge;
  }

  async #readTail(access: LogAccess, tail: number): Promise<readonly LogLine[]> {
    const { log } = access;
    const range = { tail, since: this.#options.since };
    const { records, at, dropped, ...read } = await readTail(access, range);
    const edge = this.#use(log, read.cursor);
    edge.settle(records, at, dropped);
    this.#pages = new LogPages(log, edge, read.isStart);
    this.#openedAt ??= read.openedAt;
    this.#isRead = true;
    this.#isPastRead = true;
    return records.lines(this.#joiner, at, records.length);
  }

  async #ask(
    { connection, log, signal }: LogAccess,
    query: LogRange & { readonly follow: boolean },
  ): Promise<StreamReply> {
    const form = { hasTty: log.hasTty, hasStamps: log.hasStamps };
    const reply = await requestLogs(connection, log.id, { ...query, ...form }, signal);
    this.#openedAt ??= replyTime(reply);
    this.#isRead = true;
    this.#unsure = undefined;
    this.#rest = '';
    return reply;
  }

  get #hasStamps(): boolean {
    return !(this.#cursor instanceof CountCursor);
  }

  #firstRange(): LogRange {
    const { since, tail } = this.#options;
    // Lines are counted from the start, so the engine must not leave any out.
    return this.#hasStamps ? { since, tail } : { since };
  }

  /** @param tail limits the request to so many records, if the last received one is among them. */
  #nextRange(tail?: number): LogRange {
    const since = this.#cursor?.since;
    this.#cursor?.rewind({ acceptsGap: tail === undefined });
    if (since !== undefined || !this.#hasStamps) return { since, tail };
    // The previous request broke off before anything was received.
    if (!this.#isPastRead) return this.#firstRange();
    // The log was read, and nothing was received: everything since then is new.
    const { since: start } = this.#options;
    const isStartLater = start !== undefined && Number(start) > Number(this.#openedAt);
    return { since: isStartLater ? start : this.#openedAt };
  }

  /** Applies `tail` to a log without stamps, of which the engine is always asked for everything. */
  async *#tailed(batches: Batches, isFirst: boolean): AsyncGenerator<readonly LogLine[]> {
    const { tail } = this.#options;
    if (!isFirst || tail === 'all' || this.#hasStamps) {
      yield* batches;
      return;
    }
    let last: readonly LogLine[] = [];
    for await (const lines of batches) {
      const all = [...last, ...lines];
      last = tail === 0 ? [] : all.slice(-tail);
      if (this.#pages instanceof CountedPages) this.#pages.leftOut(all.length - last.length);
    }
    if (last.length > 0) yield last;
  }

  /**
   * Reads the existing log first, and then follows it. Podman sends no response headers before the first line,
   * so it would be unknown when the existing log ends.
   */
  async *#thenFollow(
    batches: Batches,
    access: LogAccess,
    reading: LogReading,
  ): AsyncGenerator<readonly LogLine[]> {
    yield* batches;
    reading.onCaughtUp?.();
    if (this.#followsWhole) yield* this.#followOn(access, reading);
    else yield* this.#followGuarded(access, reading);
  }

  /**
   * Follows a log in which lines can be missing, through a TruncationGuard. A burst of lines is read without following.
   */
  async *#followGuarded(
    access: LogAccess,
    reading: LogReading,
  ): AsyncGenerator<readonly LogLine[]> {
    for (let isBurstRead = true; ;) {
      const reply = await this.#ask(access, { ...this.#nextRange(), follow: true });
      await reading.onAnswered?.();
      // A burst without new lines is one that the engine repeats, and would be read again forever.
      const bursts = isBurstRead ? this.#burstsOf(reply) : undefined;
      const guard = new TruncationGuard(reply.body, this.#clock, bursts);
      const trusted = settling(guard.trusted(access.signal), reading);
      yield* this.#batches(reply, trusted, access.signal, () => guard.rest);
      if (!guard.isCutShort) return;
      const again = await this.#ask(access, { ...this.#nextRange(), follow: false });
      await reading.onAnswered?.();
      isBurstRead = false;
      const body = settling(again.body, reading);
      for await (const lines of this.#batches(again, body, access.signal)) {
        isBurstRead = true;
        yield lines;
      }
    }
  }

  #burstsOf(reply: StreamReply): BurstDetector | undefined {
    if (!(this.#cursor instanceof StampCursor)) return undefined;
    return new BurstDetector(isFramed(reply, this.#options), this.#cursor.counts());
  }

  /**
   * Follows a log from its last received record. Tries a request for the end of the log first, because engines
   * read through all of a log of gigabytes to find a time.
   */
  async *#followOn(access: LogAccess, reading: LogReading): AsyncGenerator<readonly LogLine[]> {
    const known = this.#cursor instanceof StampCursor ? this.#cursor.remembered : 0;
    for (const tail of known > 0 ? [known + MEANWHILE, undefined] : [undefined]) {
      const range = this.#nextRange(tail);
      const reply = await this.#ask(access, { ...range, follow: true });
      await reading.onAnswered?.();
      yield* this.#batches(reply, settling(reply.body, reading), access.signal);
      if (!this.#isStuck) return;
    }
  }

  /** Whether the last received record is missing in a limited request, so that nothing from it is accepted. */
  get #isStuck(): boolean {
    return this.#cursor instanceof StampCursor && this.#cursor.isStuck;
  }

  /** @param rest returns the chunks of the body that were left out because they may have gaps. */
  async *#batches(
    reply: StreamReply,
    body: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
    rest: () => readonly Uint8Array[] = () => [],
  ): AsyncGenerator<readonly LogLine[]> {
    const { hasTty } = this.#options;
    const decoder = logDecoderFor(reply, this.#joiner, { hasTty, hasStamps: this.#hasStamps });
    for await (const chunk of body) {
      // After an abort, chunks in the queue must not be delivered.
      signal.throwIfAborted();
      const lines = decoder.push(chunk);
      if (lines.length > 0) yield lines;
      if (decoder.failure) throw decoder.failure;
      if (this.#isStuck) return;
    }
    this.#isPastRead = true;
    const chunks = rest();
    if (chunks.length > 0) this.#unsure = { decoder, chunks };
    else yield* this.#end(decoder);
  }

  *#end(decoder: LogDecoder): Generator<readonly LogLine[]> {
    const lines = decoder.end();
    if (!this.#hasStamps && decoder instanceof RawLogDecoder) this.#rest = decoder.rest;
    if (lines.length > 0) yield lines;
    if (decoder.failure) throw decoder.failure;
  }

  /** Returns lines that may have gaps, which is better than losing all of them. */
  #flushUnsure(): readonly LogLine[] {
    const { decoder, chunks } = this.#unsure ?? {};
    this.#unsure = undefined;
    if (!decoder || !chunks) return [];
    return [...chunks.flatMap((chunk) => decoder.push(chunk)), ...decoder.end()];
  }
}

interface LogReading {
  readonly follow: boolean;
  /** Start time of the container's current run as the engine writes it, if it was restarted since the last request. */
  readonly runStartedAt?: string;
  /** Reads only what was written before this time, in the format of the engine. */
  readonly endsBefore?: string;
  /**
   * Called when the existing log is read and following is about to start. With it, the first request begins with
   * a complete line, and `older` can continue before it.
   */
  readonly onCaughtUp?: (() => void) | undefined;
  /** Called when the engine has responded, before its response is read. If it throws, the request ends. */
  readonly onAnswered?: (() => Promise<void>) | undefined;
  /** Awaited before each chunk of a followed response. If the request is aborted by then, the chunk is not read. */
  readonly settled?: (() => Promise<void>) | undefined;
}

/** The part of the log to read, and its format. */
export interface LogOptions {
  /** Number of the engine's records from the end. A long line consists of several records. */
  readonly tail: number | 'all';
  /** `seconds[.nanoseconds]`, see `parseSince`; inclusive. */
  readonly since?: string;
  /** Whether the container has a TTY, which changes the format of the log. */
  readonly hasTty: boolean;
  /** Whether `LogLine.timestamp` is needed. Default: true. */
  readonly wantsStamps?: boolean;
}

/** Returns the chunks of a response, each after `settled`. */
function settling(body: Pieces, { settled }: LogReading): Pieces {
  return settled ? eachAfter(body, settled) : body;
}

async function* eachAfter(body: Pieces, settled: () => Promise<void>): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    await settled();
    yield chunk;
  }
}

async function* one(lines: readonly LogLine[]): AsyncGenerator<readonly LogLine[]> {
  if (lines.length > 0) yield await Promise.resolve(lines);
}
