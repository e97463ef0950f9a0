/** Above this many bytes waiting, the sender is asked to pause. */
const HIGH_WATER = 256 * 1024;
/** Small pieces up to so many bytes together are handed over as one. */
const JOINED = 64 * 1024;
/** A piece of so many bytes goes alone: to copy it would cost more than a promise. */
const LARGE = 8 * 1024;

/**
 * The bytes of one answer on their way from the socket to the one reader, with back-pressure. Lighter than
 * a Readable: no events, and one promise for all that waits. Engines send each line of a log as a piece of its own,
 * and a promise for each would take longer than to read it.
 */
export class ByteQueue implements AsyncIterableIterator<Uint8Array> {
  readonly #sender: Sender;
  readonly #chunks: Uint8Array[] = [];
  #size = 0;
  #isPaused = false;
  #waiting: Waiting | undefined;
  #end: { readonly error?: Error } | undefined;

  constructor(sender: Sender) {
    this.#sender = sender;
  }

  push(chunk: Uint8Array): void {
    if (this.#waiting) {
      this.#take().resolve({ done: false, value: chunk });
      return;
    }
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size > HIGH_WATER && !this.#isPaused) {
      this.#isPaused = true;
      this.#sender.pause();
    }
  }

  /** No more bytes. What is waiting is still handed over first. */
  finish(): void {
    this.#close({});
  }

  /** The bytes ended too early. What is waiting is still handed over first. */
  fail(error: Error): void {
    this.#close({ error });
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    const chunk = this.#joined();
    if (chunk) {
      this.#size -= chunk.length;
      if (this.#isPaused && this.#size <= HIGH_WATER / 2) {
        this.#isPaused = false;
        this.#sender.resume();
      }
      return Promise.resolve({ done: false, value: chunk });
    }
    if (this.#end) return this.#ended(this.#end);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  return(): Promise<IteratorResult<Uint8Array>> {
    const wasOpen = this.#end === undefined;
    this.#chunks.length = 0;
    this.#end = {};
    if (wasOpen) this.#sender.abandon();
    if (this.#waiting) this.#take().resolve({ done: true, value: undefined });
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The pieces that wait, as many as go together; the first one alone is not copied. */
  #joined(): Uint8Array | undefined {
    const [first] = this.#chunks;
    let size = first?.length ?? 0;
    let count = 1;
    for (let next = this.#chunks[count]; next; next = this.#chunks[count]) {
      if (isLarge(first) || isLarge(next) || size + next.length > JOINED) break;
      size += next.length;
      count++;
    }
    if (count === 1) return this.#chunks.shift();
    return Buffer.concat(this.#chunks.splice(0, count), size);
  }

  #close(end: { readonly error?: Error }): void {
    if (this.#end) return;
    this.#end = end;
    if (!this.#waiting) return;
    const waiting = this.#take();
    this.#ended(end).then(waiting.resolve, waiting.reject);
  }

  #ended(end: { readonly error?: Error }): Promise<IteratorResult<Uint8Array>> {
    if (!end.error) return Promise.resolve({ done: true, value: undefined });
    // Thrown once: a reader that goes on after the failure is at the end.
    this.#end = {};
    return Promise.reject(end.error);
  }

  #take(): Waiting {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (!waiting) throw new Error('nobody is waiting');
    return waiting;
  }
}

/** What a queue needs of its sender. */
export interface Sender {
  pause(): void;
  resume(): void;
  /** The reader has left before the end. */
  abandon(): void;
}

interface Waiting {
  readonly resolve: (result: IteratorResult<Uint8Array>) => void;
  readonly reject: (error: unknown) => void;
}

function isLarge(piece: Uint8Array | undefined): boolean {
  return piece !== undefined && piece.length >= LARGE;
}
