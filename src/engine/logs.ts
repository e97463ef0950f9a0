import type { Connection } from './connection.ts';
import type { StreamReply } from './request.ts';
import { CountCursor } from './countCursor.ts';
import { containerPath, inspectContainer } from './containers.ts';
import { HoldBack, realHoldClock, type HoldClock } from './holdBack.ts';
import { LineJoiner } from './lineJoiner.ts';
import { StampCursor } from './logCursor.ts';
import { LogFrames, type LogDecoder } from './logFrames.ts';
import { stampAsSince } from './logStamps.ts';
import type { LogLine } from './model.ts';
import { RawLog } from './rawLog.ts';

/** Which part of a container's log, and of what kind it is. */
export interface LogOptions {
  /** How many of the engine's records from the end. A long line is several. */
  readonly tail: number | 'all';
  /** `seconds[.nanoseconds]`, see `parseSince`; inclusive. */
  readonly since?: string | undefined;
  /** Whether the container has a terminal: its log has another form then. */
  readonly hasTty: boolean;
  /** Whether `LogLine.timestamp` is going to be shown. Default true. */
  readonly wantsStamps?: boolean;
}

/** One reading's place in the log. */
interface Range {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly tail?: number | 'all';
}

/** What came of a followed log and is not to be trusted; the next reading has it again. */
interface Unsure {
  readonly decoder: LogDecoder;
  readonly chunks: readonly Uint8Array[];
}

type Batches = AsyncIterable<readonly LogLine[]>;

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
  readonly #clock: HoldClock;
  #cursor: StampCursor | CountCursor | undefined;
  #joiner = new LineJoiner({ hasStamps: false });
  #isDocker = true;
  #openedAt: string | undefined;
  #unsure: Unsure | undefined;
  /** Of a log without stamps, what is no whole line yet; the next reading has it again. */
  #rest = '';

  constructor(id: string, options: LogOptions, clock: HoldClock = realHoldClock) {
    this.#id = id;
    this.#options = options;
    this.#clock = clock;
  }

  /**
   * Starts a reading. Resolves when the engine has answered.
   *
   * @param options `runStartedAt`: the container was started anew since the last reading, at this moment;
   * `endsBefore`: only what was written before this moment. Both as the engine writes them.
   * @returns one batch of lines for each chunk. An unterminated last line is held back: see `flush`.
   * @throws EngineError: `notFound`, `failed` for log drivers that cannot be read; out of the iteration
   * `cut`, `badAnswer`, and `failed` for errors told within the stream.
   */
  async open(
    connection: Connection,
    options: {
      readonly follow: boolean;
      readonly runStartedAt?: string | undefined;
      readonly endsBefore?: string | undefined;
    },
    signal: AbortSignal,
  ): Promise<Batches> {
    const isFirst = this.#cursor === undefined;
    await this.#prepare(connection, signal);
    const moment = stampAsSince(options.runStartedAt ?? '');
    if (moment !== '' && this.#cursor instanceof CountCursor) this.#cursor.moveTo(moment);
    const until = stampAsSince(options.endsBefore ?? '') || undefined;
    const follow = options.follow && this.#isDocker;
    const reply = await this.#ask(connection, { follow, isFirst, until }, signal);
    const batches = this.#tailed(this.#batches(reply, reply.body, signal), isFirst);
    return options.follow && !follow ? this.#thenFollow(batches, connection, signal) : batches;
  }

  /** The unterminated last lines, for when the container has ended and no more will be read. */
  flush(): readonly LogLine[] {
    const lines = [...this.#giveUnsure(), ...this.#joiner.flush()];
    if (this.#rest !== '') lines.push({ source: 'stdout', timestamp: '', text: this.#rest });
    this.#rest = '';
    return lines;
  }

  async #prepare(connection: Connection, signal: AbortSignal): Promise<void> {
    if (this.#cursor) return;
    const { hasTty, wantsStamps = true, tail, since } = this.#options;
    const { product } = await connection.info(signal);
    this.#isDocker = product === 'docker';
    // Podman puts a stamp wherever a write ended; without frames it cannot be told from the text.
    const hasStamps = wantsStamps || !hasTty || this.#isDocker;
    this.#cursor = hasStamps
      ? new StampCursor({ isTailed: tail !== 'all' })
      : new CountCursor(since);
    this.#joiner = new LineJoiner({ hasStamps, gate: this.#cursor });
  }

  async #ask(
    connection: Connection,
    options: {
      readonly follow: boolean;
      readonly isFirst: boolean;
      readonly until?: string | undefined;
    },
    signal: AbortSignal,
  ): Promise<StreamReply> {
    const { follow, until } = options;
    const range = options.isFirst ? this.#firstRange() : this.#nextRange();
    const reply = await connection.stream({
      method: 'GET',
      path: containerPath(this.#id, 'logs'),
      query: { stdout: true, stderr: true, follow, timestamps: this.#hasStamps, until, ...range },
      signal,
    });
    const milliseconds = Date.parse(reply.headers['date'] ?? '');
    if (!Number.isNaN(milliseconds)) this.#openedAt ??= String(milliseconds / 1000);
    this.#unsure = undefined;
    this.#rest = '';
    return reply;
  }

  get #hasStamps(): boolean {
    return !(this.#cursor instanceof CountCursor);
  }

  #firstRange(): Range {
    const { since, tail } = this.#options;
    // Lines are counted from the start on: the engine must not leave any out.
    return this.#hasStamps ? { since, tail } : { since };
  }

  #nextRange(): Range {
    const since = this.#cursor?.since;
    this.#cursor?.rewind();
    if (since !== undefined || !this.#hasStamps) return { since };
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
    for await (const lines of batches) last = tail === 0 ? [] : [...last, ...lines].slice(-tail);
    if (last.length > 0) yield last;
  }

  /**
   * Podman sends no header before the first line, and may lose lines at the end of a followed log. So what is
   * there is read first, and then followed with care.
   */
  async *#thenFollow(
    batches: Batches,
    connection: Connection,
    signal: AbortSignal,
  ): AsyncGenerator<readonly LogLine[]> {
    yield* batches;
    const reply = await this.#ask(connection, { follow: true, isFirst: false }, signal);
    const held = new HoldBack(reply.body, this.#clock);
    yield* this.#batches(reply, held.trusted(signal), signal, () => held.rest);
  }

  /** @param rest what of the body was left out because it cannot be trusted. */
  async *#batches(
    reply: StreamReply,
    body: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
    rest: () => readonly Uint8Array[] = () => [],
  ): AsyncGenerator<readonly LogLine[]> {
    const decoder = this.#decoder(reply);
    for await (const chunk of body) {
      // What waited in the queue is nobody's any more.
      signal.throwIfAborted();
      const lines = decoder.push(chunk);
      if (lines.length > 0) yield lines;
      if (decoder.failure) throw decoder.failure;
    }
    const chunks = rest();
    if (chunks.length > 0) this.#unsure = { decoder, chunks };
    else yield* this.#end(decoder);
  }

  *#end(decoder: LogDecoder): Generator<readonly LogLine[]> {
    const lines = decoder.end();
    if (!this.#hasStamps && decoder instanceof RawLog) this.#rest = decoder.rest;
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

  /** Only one media type is proof; the others are sent for either form, or none is. */
  #decoder(reply: StreamReply): LogDecoder {
    const isFramed = reply.headers['content-type']?.includes('multiplexed-stream') === true;
    return this.#options.hasTty && !isFramed
      ? new RawLog(this.#joiner, { hasStamps: this.#hasStamps })
      : new LogFrames(this.#joiner);
  }
}

/**
 * Reads a log to its end: see {@link LogReader.open}. An unterminated last line comes as the last batch.
 *
 * @param options `hasTty` is looked up where it is not known.
 */
export async function readLogs(
  connection: Connection,
  id: string,
  options: Omit<LogOptions, 'hasTty'> & { readonly follow: boolean; readonly hasTty?: boolean },
  signal: AbortSignal,
): Promise<AsyncIterable<readonly LogLine[]>> {
  const hasTty = options.hasTty ?? (await inspectContainer(connection, id, signal)).hasTty;
  const reader = new LogReader(id, { ...options, hasTty });
  const { follow } = options;
  const batches = await reader.open(connection, { follow }, signal);
  const again = (): ReturnType<LogReader['open']> =>
    reader.open(connection, { follow: false }, signal);
  return toTheEnd(batches, follow ? again : undefined, reader);
}

async function* toTheEnd(
  batches: AsyncIterable<readonly LogLine[]>,
  again: (() => Promise<AsyncIterable<readonly LogLine[]>>) | undefined,
  reader: LogReader,
): AsyncGenerator<readonly LogLine[]> {
  yield* batches;
  if (again) yield* await again();
  const rest = reader.flush();
  if (rest.length > 0) yield rest;
}
