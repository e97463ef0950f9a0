import { Fifo } from '../../base/fifo.ts';

/** The sender is paused while more bytes than this are queued. */
const HIGH_WATER = 256 * 1024;
/** Small chunks are joined up to this many bytes. */
const JOINED = 64 * 1024;
/** Chunks of at least this many bytes are not joined: copying them costs more than a promise. */
const LARGE = 8 * 1024;

/**
 * The bytes of one response on their way from the socket to a single reader, with back-pressure. Lighter than a
 * `Readable`: no events, and one promise for all queued chunks. Engines send each line of a log as a separate
 * chunk, and one promise per line would take longer than reading it.
 */
export class ByteQueue implements AsyncIterableIterator<Uint8Array> {
  readonly #sender: Sender | undefined;
  readonly #onAbandon: (() => void) | undefined;
  readonly #chunks = new Fifo<Uint8Array>();
  #size = 0;
  #isPaused = false;
  #waiting: Waiting | undefined;
  #end: { readonly error?: Error } | undefined;

  /**
   * @param sender paused and resumed for back-pressure; undefined if all bytes have arrived.
   * @param onAbandon called if the reader leaves before the end.
   */
  constructor(sender?: Sender, onAbandon?: () => void) {
    this.#sender = sender;
    this.#onAbandon = onAbandon;
  }

  push(chunk: Uint8Array): void {
    if (this.#waiting) {
      this.#releaseReader().resolve({ done: false, value: chunk });
      return;
    }
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size > HIGH_WATER && !this.#isPaused) {
      this.#isPaused = true;
      this.#sender?.pause();
    }
  }

  /** Ends the queue. Queued bytes are still delivered first. */
  finish(): void {
    this.#close({});
  }

  /** Fails the queue with `error`. Queued bytes are still delivered first. */
  fail(error: Error): void {
    this.#close({ error });
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    const chunk = this.#joined();
    if (chunk) {
      this.#size -= chunk.length;
      if (this.#isPaused && this.#size <= HIGH_WATER / 2) {
        this.#isPaused = false;
        this.#sender?.resume();
      }
      return Promise.resolve({ done: false, value: chunk });
    }
    if (this.#end) return this.#ended(this.#end);
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }

  return(): Promise<IteratorResult<Uint8Array>> {
    const wasOpen = this.#end === undefined;
    this.#chunks.clear();
    this.#end = {};
    if (wasOpen) this.#onAbandon?.();
    if (this.#waiting) this.#releaseReader().resolve({ done: true, value: undefined });
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Returns the next chunks, joined up to the limit. A single chunk is not copied. */
  #joined(): Uint8Array | undefined {
    const first = this.#chunks.shift();
    if (!first || isLarge(first)) return first;
    const joined = [first];
    let size = first.length;
    for (let next = this.#chunks.at(0); next; next = this.#chunks.at(0)) {
      if (isLarge(next) || size + next.length > JOINED) break;
      joined.push(next);
      size += next.length;
      this.#chunks.shift();
    }
    if (joined.length === 1) return first;
    return Buffer.concat(joined, size);
  }

  #close(end: { readonly error?: Error }): void {
    if (this.#end) return;
    this.#end = end;
    if (!this.#waiting) return;
    const waiting = this.#releaseReader();
    this.#ended(end).then(waiting.resolve, waiting.reject);
  }

  #ended(end: { readonly error?: Error }): Promise<IteratorResult<Uint8Array>> {
    if (!end.error) return Promise.resolve({ done: true, value: undefined });
    // Throw it once: a reader that continues after the failure gets the end.
    this.#end = {};
    return Promise.reject(end.error);
  }

  #releaseReader(): Waiting {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (!waiting) throw new Error('no reader is waiting');
    return waiting;
  }
}

/** The part of a sender that a queue needs for back-pressure. */
export interface Sender {
  pause(): void;
  resume(): void;
}

type Waiting = PromiseWithResolvers<IteratorResult<Uint8Array>>;

function isLarge(piece: Uint8Array): boolean {
  return piece.length >= LARGE;
}
