import { monotonicClock, settledWithin, type Clock } from '../../time.ts';

/**
 * Holds a stream back whose end cannot be trusted. When a container exits while Podman 4 is behind in sending
 * its log, it leaves out most of the rest, here and there, and then ends the stream as if all were well. So what
 * comes fast, or in the first moment, is held for a second; when the stream ends in that time, what is
 * held is not given away but left to be read anew. A trickle passes at once: with it, Podman is never behind.
 */
export class TruncationGuard {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #clock: Clock;
  readonly #openedAt: number;
  readonly #held: Held[] = [];
  #heldBytes = 0;
  /** What came of late, for telling a flood from a trickle. */
  readonly #recent: { readonly at: number; readonly size: number }[] = [];
  #recentBytes = 0;

  constructor(source: AsyncIterable<Uint8Array>, clock: Clock = monotonicClock) {
    this.#source = source[Symbol.asyncIterator]();
    this.#clock = clock;
    this.#openedAt = clock.now();
  }

  /** What was still held when the stream ended. */
  get rest(): readonly Uint8Array[] {
    return this.#held.map(({ chunk }) => chunk);
  }

  /** The chunks that can be trusted. Ends and throws as the source does. */
  async *trusted(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    let next: Promise<IteratorResult<Uint8Array> | undefined> | undefined;
    try {
      for (;;) {
        if (this.#heldBytes < HOLD_BYTES) next ??= this.#source.next();
        const result = await this.#first(next, signal);
        if (result) next = undefined;
        if (result?.done) return;
        if (result) this.#hold(result.value);
        yield* this.#takeDue();
      }
    } finally {
      next?.catch(() => undefined);
      await this.#source.return?.();
    }
  }

  /** The next chunk, or undefined when the oldest one held is due before. */
  async #first(
    next: Promise<IteratorResult<Uint8Array> | undefined> | undefined,
    signal: AbortSignal,
  ): Promise<IteratorResult<Uint8Array> | undefined> {
    const [oldest] = this.#held;
    if (!oldest) return next;
    const wait = Math.max(0, oldest.dueAt - this.#clock.now());
    if (next) return settledWithin(wait, next, { clock: this.#clock, signal });
    await this.#clock.delay(wait, signal);
    return undefined;
  }

  #hold(chunk: Uint8Array): void {
    const now = this.#clock.now();
    this.#note(now, chunk.length);
    const isTrickle = this.#recentBytes < TRICKLE_BYTES && now - this.#openedAt >= HOLD_MS;
    this.#held.push({ chunk, dueAt: isTrickle ? now : now + HOLD_MS });
    this.#heldBytes += chunk.length;
  }

  #note(now: number, size: number): void {
    this.#recent.push({ at: now, size });
    this.#recentBytes += size;
    while ((this.#recent[0]?.at ?? now) < now - HOLD_MS)
      this.#recentBytes -= this.#recent.shift()?.size ?? 0;
  }

  *#takeDue(): Generator<Uint8Array> {
    const now = this.#clock.now();
    while ((this.#held[0]?.dueAt ?? Infinity) <= now) {
      const chunk = this.#held.shift()?.chunk ?? new Uint8Array();
      this.#heldBytes -= chunk.length;
      yield chunk;
    }
  }
}

interface Held {
  readonly chunk: Uint8Array;
  readonly dueAt: number;
}

/** How long a flood is held back, in milliseconds; and how many bytes of it at most. */
const HOLD_MS = 1000;
const HOLD_BYTES = 16 * 1024 * 1024;
/** Fewer bytes in that time are no flood. */
const TRICKLE_BYTES = 16 * 1024;
