import { ByteStore } from './byteStore.ts';
import type { ChunkText } from '../chunkText.ts';
import type { LogLine, LogSource } from '../model.ts';

/**
 * Records into whole lines. An engine cuts a long line into records that each have a time stamp of their
 * own in front, and may cut within a character; what belongs together is joined as bytes, per source.
 *
 * Outlives a connection: a line begun on one may end on the next.
 */
export class LineJoiner {
  readonly #gate: RecordGate | undefined;
  readonly #hasStamps: boolean;
  readonly #piecesShareStamp: boolean;
  readonly #open: Record<LogSource, OpenLine | undefined> = {
    stdout: undefined,
    stderr: undefined,
  };

  /**
   * @param options `hasStamps`: whether time stamps were asked for; `piecesShareStamp`: a record of another
   * stamp does not go on with an open line, which a run's unterminated last line then is.
   */
  constructor(options: {
    readonly hasStamps: boolean;
    readonly gate?: RecordGate;
    readonly piecesShareStamp?: boolean;
  }) {
    this.#gate = options.gate;
    this.#hasStamps = options.hasStamps;
    this.#piecesShareStamp = options.piecesShareStamp === true;
  }

  /** Takes the record in bytes `start` to `end`; the lines it ends are added to `lines`. */
  record(chunk: ChunkText, source: LogSource, start: number, end: number, lines: LogLine[]): void {
    const space = this.#hasStamps ? stampEnd(chunk, start, end) : -1;
    const timestamp = space < 0 ? '' : chunk.ascii(start, space);
    const from = space < 0 ? start : space + 1;
    if (this.#gate && !this.#gate.accept(source, timestamp, chunk, from, end)) return;
    this.piece(chunk, { source, timestamp }, from, end, lines);
  }

  /** Takes a record's text in bytes `start` to `end`, past the gate and the stamp. */
  piece(
    chunk: ChunkText,
    head: Omit<LogLine, 'text'>,
    start: number,
    end: number,
    lines: LogLine[],
  ): void {
    const { source, timestamp } = head;
    const open = this.#open[source];
    if (open && this.#piecesShareStamp && open.timestamp !== timestamp) this.#close(source, lines);
    const newline = chunk.newline(start, end);
    if (newline === end - 1 && this.#open[source] === undefined)
      lines.push({
        source,
        timestamp,
        text: chunk.text(start, textEnd(chunk.bytes, start, newline)),
      });
    else this.#join(chunk, head, start, end, lines);
  }

  /** The unterminated last lines; for when no more will come. */
  flush(): LogLine[] {
    const lines: LogLine[] = [];
    for (const source of ['stdout', 'stderr'] as const) this.#close(source, lines);
    return lines;
  }

  /** The general case: a record without a line feed, with several, or one that continues a line. */
  #join(
    chunk: ChunkText,
    head: Omit<LogLine, 'text'>,
    start: number,
    end: number,
    lines: LogLine[],
  ): void {
    let from = start;
    while (from < end) {
      const newline = chunk.newline(from, end);
      const to = newline < 0 ? end : newline;
      this.#extend(head, chunk.bytes.subarray(from, to), lines);
      if (newline >= 0) this.#close(head.source, lines);
      from = to + 1;
    }
  }

  #extend({ source, timestamp }: Omit<LogLine, 'text'>, part: Uint8Array, lines: LogLine[]): void {
    const open = (this.#open[source] ??= { timestamp, bytes: new ByteStore() });
    open.bytes.add(part);
    if (open.bytes.size > LINE_LIMIT) this.#close(source, lines);
  }

  #close(source: LogSource, lines: LogLine[]): void {
    const open = this.#open[source];
    if (!open) return;
    this.#open[source] = undefined;
    const bytes = open.bytes.take();
    const text = bytes.toString('utf8', 0, textEnd(bytes, 0, bytes.length));
    lines.push({ source, timestamp: open.timestamp, text });
  }
}

/** Decides for each record the engine sends whether it is new. Asked once for each, in order. */
export interface RecordGate {
  accept(
    source: LogSource,
    timestamp: string,
    chunk: ChunkText,
    start: number,
    end: number,
  ): boolean;
}

/** The start of a line whose end has not come yet. */
interface OpenLine {
  readonly timestamp: string;
  readonly bytes: ByteStore;
}

/** A line past this many bytes is handed over in pieces: a stream without line feeds must not fill the memory. */
const LINE_LIMIT = 16 * 1024 * 1024;
const [RETURN, SPACE] = [0x0d, 0x20];
/** `2006-01-02T15:04:05.000000000Z`: what Docker always writes. */
const DOCKER_STAMP = 30;
/** `2006-01-02T15:04:05Z` and `2006-01-02T15:04:05.000000000+02:00`: what others write. */
const [SHORTEST_STAMP, LONGEST_STAMP] = [20, 35];
const STAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** Position of the space behind the time stamp that starts at `start`, or -1 where there is none. */
export function stampEnd(chunk: ChunkText, start: number, end: number): number {
  const { bytes } = chunk;
  const docker = start + DOCKER_STAMP;
  if (
    docker < end &&
    bytes[docker] === SPACE &&
    bytes[docker - 1] === 0x5a &&
    bytes[start + 10] === 0x54
  )
    return docker;
  const last = Math.min(end - 1, start + LONGEST_STAMP);
  for (let at = start + SHORTEST_STAMP; at <= last; at++)
    if (bytes[at] === SPACE) return STAMP.test(chunk.ascii(start, at)) ? at : -1;
  return -1;
}

/** Where the text ends: a carriage return directly before the line's end is not part of it. */
function textEnd(bytes: Uint8Array, start: number, end: number): number {
  return end > start && bytes[end - 1] === RETURN ? end - 1 : end;
}
