import { ByteStore } from '../wire/byteStore.ts';
import type { ChunkText } from '../wire/chunkText.ts';
import type { LogLine, LogSource } from '../model.ts';

/**
 * Joins records to lines. An engine splits a long line into records with a time stamp each, possibly within a
 * character, so the parts are joined as bytes, separately for stdout and stderr.
 *
 * Outlives a connection: a line that starts on one connection can end on the next.
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
   * @param options `hasStamps`: whether time stamps were requested; `piecesShareStamp`: a record with another
   * stamp does not continue an open line, which is then the unterminated last line of a run.
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

  /** Adds the record in bytes `start` to `end`, and appends the lines that it completes to `lines`. */
  record(chunk: ChunkText, source: LogSource, start: number, end: number, lines: LogLine[]): void {
    const space = this.#hasStamps ? stampEnd(chunk, start, end) : -1;
    const timestamp = space < 0 ? '' : chunk.ascii(start, space);
    const from = space < 0 ? start : space + 1;
    if (this.#gate && !this.#gate.accept(source, timestamp, chunk, from, end)) return;
    this.piece(chunk, { source, timestamp }, from, end, lines);
  }

  /** Adds the text of a record in bytes `start` to `end`, without its time stamp and without asking the gate. */
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

  /** Returns the unterminated last lines, when no more records follow. */
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
    const bytes = open.bytes.drain();
    const text = bytes.toString('utf8', 0, textEnd(bytes, 0, bytes.length));
    lines.push({ source, timestamp: open.timestamp, text });
  }
}

/** Decides for each record whether it is new. Called once per record, in order. */
export interface RecordGate {
  accept(
    source: LogSource,
    timestamp: string,
    chunk: ChunkText,
    start: number,
    end: number,
  ): boolean;
}

/** The start of a line that is not complete. */
interface OpenLine {
  readonly timestamp: string;
  readonly bytes: ByteStore;
}

/** A longer line is returned in parts, so that a stream without line feeds cannot fill the memory. In bytes. */
const LINE_LIMIT = 16 * 1024 * 1024;
const RETURN = 0x0d;
const SPACE = 0x20;
/** Length of `2006-01-02T15:04:05.000000000Z`, which Docker always writes. */
const DOCKER_STAMP = 30;
// Lengths of `2006-01-02T15:04:05Z` and `2006-01-02T15:04:05.000000000+02:00`, which other engines write.
const SHORTEST_STAMP = 20;
const LONGEST_STAMP = 35;
const STAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** Returns the position of the space after the time stamp at `start`; -1 if there is no time stamp. */
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

/** Returns the end of the text, without a carriage return directly before the line feed. */
function textEnd(bytes: Uint8Array, start: number, end: number): number {
  return end > start && bytes[end - 1] === RETURN ? end - 1 : end;
}
