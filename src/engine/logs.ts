import type { Connection } from './connection.ts';
import type { StreamReply } from './request.ts';
import { containerPath, inspectContainer } from './containers.ts';
import { LineJoiner } from './lineJoiner.ts';
import { StampCursor, type LogCursor } from './logCursor.ts';
import { LogFrames, type LogDecoder } from './logFrames.ts';
import { stampAsSince } from './logStamps.ts';
import type { LogLine } from './model.ts';
import { RawLog } from './rawLog.ts';
import { TextCursor } from './textCursor.ts';

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

/** Milliseconds. Podman 4 sends no header before the first byte; whoever was inspected does answer. */
const SILENCE_MS = 250;

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
  readonly #now: () => number;
  #cursor: LogCursor | undefined;
  #joiner = new LineJoiner({ hasStamps: false });
  #hasStamps = true;
  #openedAt: string | undefined;
  /** Of a log without stamps, what is no whole line yet: the next reading has it again. */
  #rest = '';

  /** @param now our clock in milliseconds since the epoch. */
  constructor(id: string, options: LogOptions, now: () => number = Date.now) {
    this.#id = id;
    this.#options = options;
    this.#now = now;
  }

  /**
   * Starts a reading. Resolves when the engine has answered; with `follow` also when it is silent, as Podman
   * is until the container writes. Then a refusal comes out of the iteration.
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
  ): Promise<AsyncIterable<readonly LogLine[]>> {
    const range = this.#range(await this.#prepare(connection, signal), options.runStartedAt);
    const answer = connection.stream({
      method: 'GET',
      path: containerPath(this.#id, 'logs'),
      query: {
        stdout: true,
        stderr: true,
        follow: options.follow,
        timestamps: this.#hasStamps,
        until: stampAsSince(options.endsBefore ?? '') || undefined,
        ...range,
      },
      signal,
    });
    // Its failure comes out of the iteration where it comes late.
    answer.catch(() => undefined);
    await (options.follow ? within(answer, SILENCE_MS) : answer);
    return this.#batches(answer, signal);
  }

  /** The unterminated last lines, for when the container has ended and all of its log was read. */
  flush(): readonly LogLine[] {
    const [text, lines] = [this.#rest, this.#joiner.flush()];
    this.#rest = '';
    return text === '' ? lines : [...lines, { source: 'stdout', timestamp: '', text }];
  }

  async #prepare(connection: Connection, signal: AbortSignal): Promise<LogCursor> {
    if (this.#cursor) return this.#cursor;
    const { hasTty, wantsStamps = true, tail } = this.#options;
    // Podman puts a stamp wherever a write ended; without frames it cannot be told from the text.
    const { product } = await connection.info(signal);
    this.#hasStamps = wantsStamps || !(hasTty && product === 'podman');
    const cursor = this.#hasStamps
      ? new StampCursor({ isTailed: tail !== 'all' })
      : new TextCursor(this.#now);
    this.#cursor = cursor;
    this.#joiner = new LineJoiner({ hasStamps: this.#hasStamps, gate: cursor });
    return cursor;
  }

  #range(
    cursor: LogCursor,
    runStartedAt: string | undefined,
  ): { readonly since?: string | undefined; readonly tail?: number | 'all' } {
    const { since, tail } = this.#options;
    if (runStartedAt !== undefined && cursor instanceof TextCursor) {
      cursor.expectNothing();
      return { since: stampAsSince(runStartedAt) || undefined };
    }
    if (cursor.since !== undefined) {
      cursor.rewind();
      return { since: cursor.since };
    }
    if (this.#openedAt === undefined) return { since, tail };
    // Read before, and nothing came: all since then is new.
    return {
      since: since !== undefined && Number(since) > Number(this.#openedAt) ? since : this.#openedAt,
    };
  }

  async *#batches(
    answer: Promise<StreamReply>,
    signal: AbortSignal,
  ): AsyncGenerator<readonly LogLine[]> {
    const reply = await answer;
    this.#noteTime(reply);
    this.#rest = '';
    const decoder = this.#decoder(reply);
    for await (const chunk of reply.body) {
      // What waited in the queue is nobody's any more.
      signal.throwIfAborted();
      const lines = decoder.push(chunk);
      if (lines.length > 0) yield lines;
      if (decoder.failure) throw decoder.failure;
    }
    const lines = decoder.end();
    if (!this.#hasStamps && decoder instanceof RawLog) this.#rest = decoder.rest;
    if (lines.length > 0) yield lines;
    if (decoder.failure) throw decoder.failure;
  }

  /** Only one media type is proof; the others are sent for either form, or none is. */
  #decoder(reply: StreamReply): LogDecoder {
    const isFramed = reply.headers['content-type']?.includes('multiplexed-stream') === true;
    return this.#options.hasTty && !isFramed
      ? new RawLog(this.#joiner, { hasStamps: this.#hasStamps })
      : new LogFrames(this.#joiner);
  }

  #noteTime(reply: StreamReply): void {
    const milliseconds = Date.parse(reply.headers['date'] ?? '');
    if (Number.isNaN(milliseconds)) return;
    this.#openedAt ??= String(milliseconds / 1000);
    if (this.#cursor instanceof TextCursor) this.#cursor.setEngineTime(milliseconds);
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

/** Waits for `promise`, but no longer than so many milliseconds. */
async function within(promise: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const isLate = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  try {
    await Promise.race([promise, isLate]);
  } finally {
    clearTimeout(timer);
  }
}
