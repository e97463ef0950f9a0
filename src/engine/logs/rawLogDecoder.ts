import { ByteStore } from '../wire/byteStore.ts';
import { ChunkText } from '../wire/chunkText.ts';
import type { EngineError } from '../errors.ts';
import { stampEnd, type LineJoiner } from './lineJoiner.ts';
import type { FramedLogDecoder } from './framedLogDecoder.ts';
import type { LogLine } from '../model.ts';

// Text size in bytes at which engines split a record. The rest gets a time stamp of its own.
const DOCKER_RECORD = 16_384;
const PODMAN_RECORD = 8192;
/** Maximum record size: each byte that is not valid UTF-8 takes three bytes in the log file. */
const LONGEST_RECORD = 3 * DOCKER_RECORD;
/** After so many bytes without a line feed, the received bytes count as a line. */
const LINE_LIMIT = 16 * 1024 * 1024;
const NEWLINE = 0x0a;
const T = 0x54;
/** Characters of a stamp before its `T`. */
const DATE = 10;
const DOCKER_STAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/;

/**
 * Decoder of the raw format of a container with a TTY: no frames, a single stream, and a time stamp at the start
 * of each record. Only that stamp separates records that do not end with a line feed, so stamps within a line are
 * searched for where engines write them.
 */
export class RawLogDecoder {
  readonly failure: EngineError | undefined = undefined;
  readonly #joiner: LineJoiner;
  readonly #hasStamps: boolean;
  /** The start of a line that continues in the next chunk. */
  readonly #carried = new ByteStore();

  constructor(joiner: LineJoiner, options: { readonly hasStamps: boolean }) {
    this.#joiner = joiner;
    this.#hasStamps = options.hasStamps;
  }

  push(chunk: Uint8Array): readonly LogLine[] {
    const lines: LogLine[] = [];
    const from = this.#finishCarried(chunk, lines);
    const view = new ChunkText(chunk);
    const used = this.#walk(view, from, lines);
    this.#carried.add(view.bytes.subarray(used));
    if (this.#carried.size > LINE_LIMIT) this.#release(lines);
    return lines;
  }

  /** Ends decoding. Without stamps, an incomplete line is not returned, but available in `rest`. */
  end(): readonly LogLine[] {
    const lines: LogLine[] = [];
    if (this.#hasStamps) this.#release(lines);
    return lines;
  }

  /** The incomplete last line. */
  get rest(): string {
    return this.#carried.look().toString('utf8').replace(/\r$/, '');
  }

  #finishCarried(chunk: Uint8Array, lines: LogLine[]): number {
    if (this.#carried.size === 0) return 0;
    const newline = chunk.indexOf(NEWLINE);
    if (newline < 0) return 0;
    this.#carried.add(chunk.subarray(0, newline + 1));
    this.#release(lines);
    return newline + 1;
  }

  /** Emits the carried bytes as they are. */
  #release(lines: LogLine[]): void {
    if (this.#carried.size === 0) return;
    const bytes = this.#carried.drain();
    this.#records(new ChunkText(bytes), 0, bytes.length, lines);
  }

  #walk(view: ChunkText, from: number, lines: LogLine[]): number {
    let at = from;
    for (;;) {
      const newline = view.nextNewline(at);
      if (newline < 0) return at;
      this.#records(view, at, newline + 1, lines);
      at = newline + 1;
    }
  }

  /** Emits one line of the stream, which consists of one or more records. */
  #records(view: ChunkText, start: number, end: number, lines: LogLine[]): void {
    let from = start;
    while (from < end) {
      const to = this.#hasStamps ? nextRecord(view, from, end) : end;
      this.#joiner.record(view, 'stdout', from, to, lines);
      from = to;
    }
  }
}

/** Decodes bytes to complete lines, independent of chunk boundaries. */
export type LogDecoder = FramedLogDecoder | RawLogDecoder;

/** Returns the end of the record at `start`: the next stamp that an engine wrote, or the end of the line. */
function nextRecord(view: ChunkText, start: number, end: number): number {
  const text = stampEnd(view, start, end) + 1;
  if (text === 0) return end;
  // No record is longer, so the search stops there. Without the limit, a single line could take minutes.
  const last = Math.min(end, text + LONGEST_RECORD + text - start);
  const next = nextPiece(view, start, text, nextRun(view, start, text, last));
  return next === last ? end : next;
}

/**
 * Returns the start of a later run within the line, because a run can end without a line feed. Its stamp is later
 * than that of the text before. A stamp that the container itself printed is older than the engine's, unless it
 * is in the future.
 */
function nextRun(view: ChunkText, start: number, text: number, end: number): number {
  const size = text - 1 - start;
  const stamp = view.ascii(start, text - 1);
  if (!DOCKER_STAMP.test(stamp)) return end;
  // No engine writes a record without text: there is at least one byte between two stamps.
  for (let z = view.nextZulu(text + size); z + 1 < end; z = view.nextZulu(z + 1)) {
    const at = z + 1 - size;
    if (view.bytes[at + DATE] !== T) continue;
    const next = view.ascii(at, z + 1);
    if (next > stamp && DOCKER_STAMP.test(next)) return at;
  }
  return end;
}

/** Returns the start of the next piece of a line that was too long for one record. */
function nextPiece(view: ChunkText, start: number, text: number, end: number): number {
  // Podman: after exactly so many bytes, only recognizable by the format of the stamp.
  const podman = text + PODMAN_RECORD;
  if (podman >= end) return end;
  if (stampEnd(view, podman, end) >= 0) return podman;
  // Docker: all records of a line have the same stamp, to the nanosecond.
  const from = Math.min(end, text + DOCKER_RECORD);
  const docker = view.bytes.subarray(from, end).indexOf(view.bytes.subarray(start, text));
  return docker < 0 ? end : from + docker;
}
