import { ByteStore } from './byteStore.ts';
import { ChunkText } from '../chunkText.ts';
import type { EngineError } from '../errors.ts';
import { stampEnd, type LineJoiner } from './lineJoiner.ts';
import type { LogDecoder } from './framedLogDecoder.ts';
import type { LogLine } from '../model.ts';

/** Engines cut a record after so many bytes of text, and write the rest with a time stamp of its own. */
const [DOCKER_RECORD, PODMAN_RECORD] = [16_384, 8192];
/** In the log file, each byte that is no UTF-8 takes three. */
const LONGEST_RECORD = 3 * DOCKER_RECORD;
/** Without a line feed for so long, what there is counts as a line. */
const LINE_LIMIT = 16 * 1024 * 1024;
const [NEWLINE, T] = [0x0a, 0x54];
/** Characters of a stamp before its `T`. */
const DATE = 10;
const DOCKER_STAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/;

/**
 * Decoder of the raw form, which a container with a terminal has: no frames, one output, and a time stamp
 * at the start of each record. Records that do not end with a line feed follow one another without any mark
 * but that stamp, so the stamps inside a line are looked for where an engine puts them.
 */
export class RawLogDecoder implements LogDecoder {
  readonly failure: EngineError | undefined = undefined;
  readonly #joiner: LineJoiner;
  readonly #hasStamps: boolean;
  /** The start of a line that goes on in the next chunk. */
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

  /** Without stamps, what is no whole line yet is not given away: `rest` has it. */
  end(): readonly LogLine[] {
    const lines: LogLine[] = [];
    if (this.#hasStamps) this.#release(lines);
    return lines;
  }

  /** The start of a line that has not come to its end. */
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

  /** Hands over what is carried as it is. */
  #release(lines: LogLine[]): void {
    if (this.#carried.size === 0) return;
    const bytes = this.#carried.take();
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

  /** One line of the stream, which is one record or several. */
  #records(view: ChunkText, start: number, end: number, lines: LogLine[]): void {
    let from = start;
    while (from < end) {
      const to = this.#hasStamps ? nextRecord(view, from, end) : end;
      this.#joiner.record(view, 'stdout', from, to, lines);
      from = to;
    }
  }
}

/** Where the record ends that starts at `start`: at the next stamp an engine put, or at the line's end. */
function nextRecord(view: ChunkText, start: number, end: number): number {
  const text = stampEnd(view, start, end) + 1;
  if (text === 0) return end;
  // No record is longer, so nothing is looked for further away: else one line could take minutes.
  const last = Math.min(end, text + LONGEST_RECORD + text - start);
  const next = nextPiece(view, start, text, nextRun(view, start, text, last));
  return next === last ? end : next;
}

/**
 * Where a later run begins in the line, for a run may end without a line feed. Its stamp is later than that of the
 * text before it; a stamp that the container wrote itself is older than the engine's, unless it tells the future.
 */
function nextRun(view: ChunkText, start: number, text: number, end: number): number {
  const size = text - 1 - start;
  const stamp = view.ascii(start, text - 1);
  if (!DOCKER_STAMP.test(stamp)) return end;
  // No engine writes a record without any text: at least one byte stands between two stamps.
  for (let z = view.nextZulu(text + size); z + 1 < end; z = view.nextZulu(z + 1)) {
    const at = z + 1 - size;
    if (view.bytes[at + DATE] !== T) continue;
    const next = view.ascii(at, z + 1);
    if (next > stamp && DOCKER_STAMP.test(next)) return at;
  }
  return end;
}

/** Where the next piece begins of a line that was too long for one record. */
function nextPiece(view: ChunkText, start: number, text: number, end: number): number {
  // Podman: after exactly so many bytes, and only the form of the stamp tells.
  const podman = text + PODMAN_RECORD;
  if (podman >= end) return end;
  if (stampEnd(view, podman, end) >= 0) return podman;
  // Docker: all records of a line bear the same stamp, to the nanosecond.
  const from = Math.min(end, text + DOCKER_RECORD);
  const docker = view.bytes.subarray(from, end).indexOf(view.bytes.subarray(start, text));
  return docker < 0 ? end : from + docker;
}
