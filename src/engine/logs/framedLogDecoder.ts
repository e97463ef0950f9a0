import { ChunkText } from '../chunkText.ts';
import { EngineError } from '../errors.ts';
import type { LineJoiner } from './lineJoiner.ts';
import type { LogLine } from '../model.ts';

/**
 * Decoder of the multiplexed form: a header of eight bytes (source, three zeros, length) and a payload,
 * again and again.
 */
export class FramedLogDecoder implements LogDecoder {
  readonly #joiner: LineJoiner;
  /** The start of a frame that goes on in the next chunk. */
  #carry = Buffer.alloc(START);
  #carried = 0;
  #failure: EngineError | undefined;

  constructor(joiner: LineJoiner) {
    this.#joiner = joiner;
  }

  get failure(): EngineError | undefined {
    return this.#failure;
  }

  push(chunk: Uint8Array): readonly LogLine[] {
    const lines: LogLine[] = [];
    const from = this.#finishCarried(chunk, lines);
    if (from >= chunk.length || this.#failure) return lines;
    const view = new ChunkText(chunk);
    const used = this.#walk(view, from, lines);
    this.#keep(view.bytes.subarray(used));
    return lines;
  }

  end(): readonly LogLine[] {
    if (this.#carried > 0) this.#failure ??= new EngineError('cut');
    return [];
  }

  /** Adds to the carried frame what belongs to it; says how many bytes of `chunk` that took. */
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
    // One huge frame must not keep its memory as long as the log is followed.
    if (this.#carry.length > KEPT) this.#carry = Buffer.alloc(START);
    return used;
  }

  /** Copies from `chunk` until `wanted` bytes are carried or the chunk ends; says where it stopped. */
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

  /** Takes all whole frames from `at` on; says where the first that is not whole starts. */
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

  /** The payload's length in bytes, or -1 where this is no header; then the failure is set. */
  #payloadSize(bytes: Buffer, at: number): number {
    const kind = bytes.readUInt32BE(at) / 0x1000000;
    const size = bytes.readUInt32BE(at + 4);
    // A fraction means that one of the three bytes behind the kind is not zero.
    if (kind <= SYSTEM_ERROR && Number.isInteger(kind) && size <= FRAME_LIMIT) return size;
    this.#failure = new EngineError('badAnswer');
    return -1;
  }

  #engineFailed(view: ChunkText, start: number, end: number): number {
    this.#failure = new EngineError('failed', { engineMessage: view.text(start, end).trim() });
    return view.bytes.length;
  }
}

/** Bytes into whole lines, whatever the chunk boundaries. */
export interface LogDecoder {
  /** The lines that `chunk` ends. Does not change the chunk and does not keep it. */
  push(chunk: Uint8Array): readonly LogLine[];
  /** Says that the stream ended cleanly. What the joiner still holds is its owner's to flush. */
  end(): readonly LogLine[];
  /** Set once the stream cannot be read on. Lines handed over before are good. */
  readonly failure: EngineError | undefined;
}

const HEADER = 8;
/** Engines send frames of 16 KiB and a prefix; what claims more than this is not a frame. */
const FRAME_LIMIT = 16 * 1024 * 1024;
const SYSTEM_ERROR = 3;
/** Bytes of room for the frame that goes on in the next chunk: at first, and for good. */
const [START, KEPT] = [1024, 256 * 1024];
