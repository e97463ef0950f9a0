import type { BurstDetector } from './burstDetector.ts';
import { monotonicClock, settledWithin, type Clock } from '../../base/time.ts';

/**
 * Delays a stream whose end cannot be trusted. If a container exits while Podman 4 lags behind in sending its
 * log, Podman omits most of the rest, with gaps, and then ends the stream without an error. So chunks that arrive
 * fast, or in the first second, are held for one second. If the stream ends in that time, held chunks are not
 * returned, but have to be read again. A slow stream passes immediately, because Podman does not lag behind it.
 *
 * A burst of lines is never returned, because Podman may have lost some of them: see BurstDetector. The stream
 * ends one second later, and the burst has to be read again.
 */
export class TruncationGuard {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #clock: Clock;
  readonly #bursts: BurstDetector | undefined;
  readonly #openedAt: number;
  readonly #held: { readonly chunk: Uint8Array; readonly dueAt: number }[] = [];
  #heldBytes = 0;
  /** Chunks of the last second, to distinguish a fast stream from a slow one. */
  readonly #recent: { readonly at: number; readonly size: number }[] = [];
  #recentBytes = 0;
  #burstEndsAt: number | undefined;
  /** Whether the stream was ended because of a burst, and not by its source. */
  isCutShort = false;

  /** @param bursts default: a burst passes like other chunks. */
  constructor(
    source: AsyncIterable<Uint8Array>,
    clock: Clock = monotonicClock,
    bursts?: BurstDetector,
  ) {
    this.#source = source[Symbol.asyncIterator]();
    this.#clock = clock;
    this.#bursts = bursts;
    this.#openedAt = clock.now();
  }

  /** The chunks that were held when the stream ended. */
  get rest(): readonly Uint8Array[] {
    return this.#held.map(({ chunk }) => chunk);
  }

  /** Yields the chunks that can be trusted. Ends and throws as the source does. */
  async *trusted(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    let next: Promise<IteratorResult<Uint8Array> | undefined> | undefined;
    try {
      for (;;) {
        if (this.#heldBytes < HOLD_BYTES) next ??= this.#source.next();
        const result = await this.#first(next, signal);
        if (result) next = undefined;
        if (result?.done) return;
        if (result) this.#hold(result.value);
        this.isCutShort = (this.#burstEndsAt ?? Infinity) <= this.#clock.now();
        if (this.isCutShort) return;
        yield* this.#releaseDue();
      }
    } finally {
      next?.catch(() => undefined);
      await this.#source.return?.();
    }
  }

  /** Returns the next chunk; undefined if the oldest held chunk or the end of a burst is due first. */
  async #first(
    next: Promise<IteratorResult<Uint8Array> | undefined> | undefined,
    signal: AbortSignal,
  ): Promise<IteratorResult<Uint8Array> | undefined> {
    const [oldest] = this.#held;
    if (!oldest) return next;
    const wait = Math.max(0, (this.#burstEndsAt ?? oldest.dueAt) - this.#clock.now());
    if (next) return settledWithin(wait, next, { clock: this.#clock, signal });
    await this.#clock.delay(wait, signal);
    return undefined;
  }

  #hold(chunk: Uint8Array): void {
    const now = this.#clock.now();
    this.#record(now, chunk.length);
    if (this.#bursts?.push(chunk)) this.#burstEndsAt ??= now + HOLD_MS;
    const isTrickle = this.#recentBytes < TRICKLE_BYTES && now - this.#openedAt >= HOLD_MS;
    this.#held.push({ chunk, dueAt: isTrickle ? now : now + HOLD_MS });
    this.#heldBytes += chunk.length;
  }

  #record(now: number, size: number): void {
    this.#recent.push({ at: now, size });
    this.#recentBytes += size;
    while ((this.#recent[0]?.at ?? now) < now - HOLD_MS)
      this.#recentBytes -= this.#recent.shift()?.size ?? 0;
  }

  *#releaseDue(): Generator<Uint8Array> {
    if (this.#burstEndsAt !== undefined) return;
    const now = this.#clock.now();
    while ((this.#held[0]?.dueAt ?? Infinity) <= now) {
      const chunk = this.#held.shift()?.chunk ?? new Uint8Array();
      this.#heldBytes -= chunk.length;
      yield chunk;
    }
  }
}

/** Time for which a fast stream is held in milliseconds, and the maximum number of held bytes. */
const HOLD_MS = 1000;
const HOLD_BYTES = 16 * 1024 * 1024;
/** A stream with fewer bytes in that time is slow. */
const TRICKLE_BYTES = 16 * 1024;
