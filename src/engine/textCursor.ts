import type { ChunkText } from './chunkText.ts';
import type { LogCursor } from './logCursor.ts';
import type { LogSource } from './model.ts';

interface Received {
  readonly hash: number;
  /** Milliseconds, by our clock. */
  readonly at: number;
}

const REMEMBERED = 4096;
/** How far before the last record reading on starts. */
const MARGIN_MS = 2000;
/** How exact the engine's clock is known: its `Date` header has whole seconds. */
const CLOCK_MS = 1000;

/**
 * Cursor for a log without time stamps: reads on from shortly before the last record, and drops what it
 * knows by its text. Where a container says the same over and over, it may be one more or one less.
 */
export class TextCursor implements LogCursor {
  readonly #now: () => number;
  #engineAhead = 0;
  #received: Received[] = [];
  /** What may come once more, and the places in it where the replay may be now. */
  #expected: readonly Received[] = [];
  #places: readonly number[] | undefined;

  /** @param now our clock in milliseconds since the epoch. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get since(): string | undefined {
    const last = this.#received.at(-1);
    return last && ((last.at + this.#engineAhead - MARGIN_MS) / 1000).toFixed(3);
  }

  /** Takes the engine's clock, in milliseconds since the epoch. */
  setEngineTime(milliseconds: number): void {
    this.#engineAhead = milliseconds - this.#now();
  }

  rewind(): void {
    const last = this.#received.at(-1);
    if (!last) return;
    this.#expected = this.#received.filter(({ at }) => at >= last.at - MARGIN_MS - CLOCK_MS);
    this.#places = this.#expected.map((_, place) => place);
  }

  accept(
    _source: LogSource,
    _timestamp: string,
    chunk: ChunkText,
    start: number,
    end: number,
  ): boolean {
    const hash = hashOf(chunk.bytes, start, end);
    if (this.#places && this.#isReplayed(hash)) return false;
    this.#places = undefined;
    this.#received.push({ hash, at: this.#now() });
    if (this.#received.length > 2 * REMEMBERED) this.#received = this.#received.slice(-REMEMBERED);
    return true;
  }

  /** Follows all places in step; the longest overlap wins. */
  #isReplayed(hash: number): boolean {
    const here = (this.#places ?? []).filter((place) => this.#expected[place]?.hash === hash);
    if (here.length === 0) return false;
    const next = here.map((place) => place + 1);
    const isThrough = next[0] === this.#expected.length;
    this.#places = isThrough ? undefined : next;
    return true;
  }
}

/** FNV-1a. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return hash;
}
