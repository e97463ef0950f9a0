import { ChunkText } from '../wire/chunkText.ts';
import { EngineError } from '../errors.ts';
import type { LineJoiner } from './lineJoiner.ts';
import type { LogLine } from '../model.ts';

/**
 * Decoder of the multiplexed format: frames of an eight-byte header (stream type, three zeros, payload length)
 * and a payload.
 */
export class FramedLogDecoder {
  readonly #joiner: LineJoiner;
  /** The start of a frame that continues in the next chunk. */
  #carry = Buffer.alloc(START);
  #carried = 0;
  /** Set when the stream is invalid. Lines returned before are valid. */
  failure: EngineError | undefined;

  constructor(joiner: LineJoiner) {
    this.#joiner = joiner;
  }

  /** Returns the lines completed by `chunk`. Neither changes nor keeps the chunk. */
  push(chunk: Uint8Array): readonly LogLine[] {
    const lines: LogLine[] = [];
    const from = this.#finishCarried(chunk, lines);
    if (from >= chunk.length || this.failure) return lines;
    const view = new ChunkText(chunk);
    const used = this.#walk(view, from, lines);
    this.#keep(view.bytes.subarray(used));
    return lines;
  }

  /** Call when the stream ended cleanly. Incomplete lines stay in the joiner, for its owner to flush. */
  end(): readonly LogLine[] {
    if (this.#carried > 0) this.failure ??= new EngineError('cut');
    return [];
  }

  /** Completes the carried frame. Returns the number of bytes used from `chunk`. */
  #finishCarried(chunk: Uint8Array, lines: LogLine[]): number {
    if (this.#carried === 0) return 0;
    let used = this.#carryUpTo(HEADER, chunk, 0);
    if (this.#carried < HEADER) return used;
    const size = this.#payloadSize(this.#carry, 0);
    if (size < 0) return chunk.length;
    used = this.#carryUpTo(HEADER + size, chunk, used);
    if (this.#carried < HEADER + size) return used;
    this.#walk(new ChunkText(this.#carry.subarray(0, HEADER + size)), 0, lines);
    this.#carried = 0;
    // Do not keep the memory of one huge frame while the log is followed.
    if (this.#carry.length > KEPT) this.#carry = Buffer.alloc(START);
    return used;
  }

  /** Copies bytes from `chunk` until `wanted` bytes are carried or the chunk ends. Returns the end position. */
  #carryUpTo(wanted: number, chunk: Uint8Array, from: number): number {
    const to = Math.min(chunk.length, from + Math.max(0, wanted - this.#carried));
    this.#keep(chunk.subarray(from, to));
    return to;
  }

  #keep(bytes: Uint8Array): void {
    const needed = this.#carried + bytes.length;
    if (needed > this.#carry.length)
      this.#carry = Buffer.concat([this.#carry.subarray(0, this.#carried)], needed * 2);
    this.#carry.set(bytes, this.#carried);
    this.#carried = needed;
  }

  /** Decodes all complete frames from `at` on. Returns the position of the first incomplete one. */
  #walk(view: ChunkText, at: number, lines: LogLine[]): number {
    const { bytes } = view;
    while (at + HEADER <= bytes.length) {
      const size = this.#payloadSize(bytes, at);
      if (size < 0) return bytes.length;
      const start = at + HEADER;
      const end = start + size;
      if (end > bytes.length) break;
      if (bytes[at] === SYSTEM_ERROR) return this.#engineFailed(view, start, end);
      this.#joiner.record(view, bytes[at] === 2 ? 'stderr' : 'stdout', start, end, lines);
      at = end;
    }
    return at;
  }

  /** Returns the payload length in bytes; -1 if the header is invalid, and sets `failure`. */
  #payloadSize(bytes: Buffer, at: number): number {
    const kind = bytes.readUInt32BE(at) / 0x1000000;
    const size = bytes.readUInt32BE(at + 4);
    // A fraction means that one of the three bytes after the type is not zero.
    if (kind <= SYSTEM_ERROR && Number.isInteger(kind) && size <= FRAME_LIMIT) return size;
    this.failure = new EngineError('badAnswer');
    return -1;
  }

  #engineFailed(view: ChunkText, start: number, end: number): number {
    this.failure = new EngineError('failed', { engineMessage: view.text(start, end).trim() });
    return view.bytes.length;
  }
}

const HEADER = 8;
/** Limit of a frame in bytes. Engines send frames of 16 KiB plus a prefix; anything larger is not a frame. */
const FRAME_LIMIT = 16 * 1024 * 1024;
const SYSTEM_ERROR = 3;
// Bytes allocated for an incomplete frame: initially, and the most that is kept afterwards.
const START = 1024;
const KEPT = 256 * 1024;
