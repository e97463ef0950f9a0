import { capabilitiesOf } from '../capabilities.ts';
import type { Connection } from '../http/connection.ts';
import { CountCursor } from './countCursor.ts';
import { CountedPages } from './countedPages.ts';
import { monotonicClock, type Clock } from '../../time.ts';
import { TruncationGuard } from './truncationGuard.ts';
import { LineJoiner } from './lineJoiner.ts';
import { LoadedBoundary } from './loadedBoundary.ts';
import { StampCursor } from './stampCursor.ts';
import type { LogDecoder } from './framedLogDecoder.ts';
import { LogPages, type LogPage, type PagedLog } from './logPages.ts';
import type { LogOptions, LogReading } from './logReading.ts';
import { logDecoderFor, replyTime, requestLogs, type LogRange } from './requestLogs.ts';
import { stampAsSince } from './logStamps.ts';
import { readTail } from './logTail.ts';
import type { LogLine } from '../model.ts';
import { RawLogDecoder } from './rawLogDecoder.ts';
import type { StreamReply } from '../http/engineRequest.ts';

/** What came of a followed log and is not to be trusted; the next reading has it again. */
interface Unsure {
  readonly decoder: LogDecoder;
  readonly chunks: readonly Uint8Array[];
}

type Batches = AsyncIterable<readonly LogLine[]>;
type Pieces = AsyncIterable<Uint8Array>;

/** So many records may come between two readings of which the second is bounded. */
const MEANWHILE = 1000;

/**
 * One container's log over several readings: the first from where the options say, each later one from
 * where the one before ended, without doubling or losing a line. `GET /containers/{id}/logs`.
 *
 * A followed log that has ended may lack its end: Docker 20.10 leaves out a last line without a line end,
 * Podman 4 thousands of lines of a flood. Another reading, without `follow`, brings them.
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
  #unsure: Unsure | undefined;
  /** Whether what was there at the first reading is known to have come, should nothing have come. */
  #isPastRead = false;
  #gap: readonly LogLine[] | undefined;
  /** Of a log without stamps, what is no whole line yet; the next reading has it again. */
  #rest = '';

  constructor(id: string, options: LogOptions, clock: Clock = monotonicClock) {
    this.#id = id;
    this.#options = options;
    this.#clock = clock;
  }

  /**
   * Starts a reading. Resolves when the engine has answered.
   *
   * @returns one batch of lines for each chunk. An unterminated last line is held back: see `flush`.
   * @throws EngineError: `notFound`, `failed` for log drivers that cannot be read; out of the iteration
   * `cut`, `badAnswer`, and `failed` for errors told within the stream.
   */
  async open(connection: Connection, reading: LogReading, signal: AbortSignal): Promise<Batches> {
    const log = (this.#log ??= await this.#prepare(connection, signal));
    const isFirst = !this.#isRead;
    const isPaged = isFirst && reading.onCaughtUp !== undefined;
    const { tail } = this.#options;
    const isBounded = reading.endsBefore !== undefined;
    const readsTail = isPaged || (isFirst && !log.countsFromEnd && !isBounded);
    if (readsTail && tail !== 'all' && log.hasStamps) {
      const batches = one(await this.#readTail(connection, log, tail, signal));
      return reading.follow ? this.#thenFollow(batches, connection, reading, signal) : batches;
    }
    const moment = stampAsSince(reading.runStartedAt ?? '');
    if (moment !== '' && this.#cursor instanceof CountCursor) this.#cursor.moveTo(moment);
    const until = stampAsSince(reading.endsBefore ?? '') || undefined;
    const follow = reading.follow && this.#followsWhole && !isPaged;
    // A few lines of the past would have come at once, and asked for again would hide new ones.
    this.#isPastRead ||= follow && this.#options.tail !== 'all';
    const range = isFirst ? this.#firstRange() : this.#nextRange();
    const reply = await this.#ask(connection, { ...range, follow, until }, signal);
    await reading.onAnswered?.();
    const pieces = this.#batches(reply, settling(reply.body, reading), signal);
    const batches = this.#tailed(pieces, isFirst);
    const followsLater = reading.follow && !follow;
    return followsLater ? this.#thenFollow(batches, connection, reading, signal) : batches;
  }

  /**
   * Lines before the first one that came, and with each call before those. Exact where the first reading had
   * `onCaughtUp`; else the first line that came may be the end of a longer one. One call at a time.
   *
   * @throws EngineError as `open`; the same lines may be asked for again then.
   */
  async older(connection: Connection, count: number, signal: AbortSignal): Promise<LogPage> {
    return this.#pages?.older(connection, count, signal) ?? { lines: [], isStart: this.#isRead };
  }

  /**
   * Whether before the batch that came last the engine had discarded something that was not read; told once. What
   * comes back then are the open lines whose rest is lost.
   */
  takeGap(): readonly LogLine[] | undefined {
    const gap = this.#gap;
    this.#gap = undefined;
    return gap;
  }

  /** The unterminated last lines, for when the container has ended and no more will be read. */
  flush(): readonly LogLine[] {
    const lines = [...this.#giveUnsure(), ...this.#joiner.flush()];
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
      // Podman puts a stamp wherever a write ended; without frames it cannot be told from the text.
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

  /** Receives by this cursor from now on. */
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

  async #readTail(
    connection: Connection,
    log: PagedLog,
    tail: number,
    signal: AbortSignal,
  ): Promise<readonly LogLine[]> {
    const range = { tail, since: this.#options.since };
    const { records, at, dropped, ...read } = await readTail(connection, log, range, signal);
    const edge = this.#use(log, read.cursor);
    edge.settle(records, at, dropped);
    this.#pages = new LogPages(log, edge, read.isStart);
    this.#openedAt ??= read.openedAt;
    this.#isRead = true;
    this.#isPastRead = true;
    return records.lines(this.#joiner, at, records.length);
  }

  async #ask(
    connection: Connection,
    query: LogRange & { readonly follow: boolean },
    signal: AbortSignal,
  ): Promise<StreamReply> {
    const form = { hasTty: this.#options.hasTty, hasStamps: this.#hasStamps };
    const reply = await requestLogs(connection, this.#id, { ...query, ...form }, signal);
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
    // Lines are counted from the start on: the engine must not leave any out.
    return this.#hasStamps ? { since, tail } : { since };
  }

  /** @param tail only so many records, where what was received last is in them. */
  #nextRange(tail?: number): LogRange {
    const since = this.#cursor?.since;
    this.#cursor?.rewind({ acceptsGap: tail === undefined });
    if (since !== undefined || !this.#hasStamps) return { since, tail };
    // It broke off before anything came.
    if (!this.#isPastRead) return this.#firstRange();
    // Read before, and nothing came: all since then is new.
    const { since: start } = this.#options;
    const isStartLater = start !== undefined && Number(start) > Number(this.#openedAt);
    return { since: isStartLater ? start : this.#openedAt };
  }

  /** What the engine was not asked to leave out. */
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
   * Podman sends no header before the first line, and may lose lines at the end of a followed log. So what is
   * there is read first, and then followed with care.
   */
  async *#thenFollow(
    batches: Batches,
    connection: Connection,
    reading: LogReading,
    signal: AbortSignal,
  ): AsyncGenerator<readonly LogLine[]> {
    yield* batches;
    reading.onCaughtUp?.();
    if (this.#followsWhole) {
      yield* this.#followOn(connection, reading, signal);
      return;
    }
    const reply = await this.#ask(connection, { ...this.#nextRange(), follow: true }, signal);
    await reading.onAnswered?.();
    const held = new TruncationGuard(reply.body, this.#clock);
    const trusted = settling(held.trusted(signal), reading);
    yield* this.#batches(reply, trusted, signal, () => held.rest);
  }

  /** Of a log of gigabytes, an engine would look through all for what is since a moment: so its end may do. */
  async *#followOn(
    connection: Connection,
    reading: LogReading,
    signal: AbortSignal,
  ): AsyncGenerator<readonly LogLine[]> {
    const known = this.#cursor instanceof StampCursor ? this.#cursor.remembered : 0;
    for (const tail of known > 0 ? [known + MEANWHILE, undefined] : [undefined]) {
      const range = this.#nextRange(tail);
      const reply = await this.#ask(connection, { ...range, follow: true }, signal);
      await reading.onAnswered?.();
      yield* this.#batches(reply, settling(reply.body, reading), signal);
      if (!this.#isStuck) return;
    }
  }

  /** Whether what was received last is not in a bounded reading, so that nothing of it is accepted. */
  get #isStuck(): boolean {
    return this.#cursor instanceof StampCursor && this.#cursor.isStuck;
  }

  /** @param rest what of the body was left out because it cannot be trusted. */
  async *#batches(
    reply: StreamReply,
    body: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
    rest: () => readonly Uint8Array[] = () => [],
  ): AsyncGenerator<readonly LogLine[]> {
    const { hasTty } = this.#options;
    const decoder = logDecoderFor(reply, this.#joiner, { hasTty, hasStamps: this.#hasStamps });
    for await (const chunk of body) {
      // What waited in the queue is nobody's any more.
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

  /** Better with gaps than not at all. */
  #giveUnsure(): readonly LogLine[] {
    const { decoder, chunks } = this.#unsure ?? {};
    this.#unsure = undefined;
    if (!decoder || !chunks) return [];
    return [...chunks.flatMap((chunk) => decoder.push(chunk)), ...decoder.end()];
  }
}

/** The pieces of an answer, each once it may be read. */
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
