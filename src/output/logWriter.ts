import type { Disposable } from '../lifetime.ts';
import { monotonicClock, type Clock } from '../time.ts';

/**
 * Batches text on its way to a channel. What comes after silence is appended at once; what trickles, once in
 * 50 ms; a flood, in batches of 64 KiB with a breath after each, for which the sender waits.
 */
export class LogWriter implements Disposable {
  readonly #append: (text: string) => void;
  readonly #clock: Clock;
  #parts: string[] = [];
  #length = 0;
  #lastAppend = -Infinity;
  #timer: Disposable | undefined;
  #isDisposed = false;

  constructor(append: (text: string) => void, clock: Clock = monotonicClock) {
    this.#append = append;
    this.#clock = clock;
  }

  /** Takes text; resolves when more may come. */
  async write(text: string): Promise<void> {
    if (this.#isDisposed || text === '') return;
    this.#parts.push(text);
    this.#length += text.length;
    if (this.#length >= BATCH_LENGTH) {
      this.flush();
      await this.#clock.delay(BREATH_MS);
    } else this.#schedule();
  }

  /** Appends what waits. */
  flush(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    if (this.#length === 0) return;
    const text = this.#parts.join('');
    this.#parts = [];
    this.#length = 0;
    this.#lastAppend = this.#clock.now();
    this.#append(text);
  }

  /** Nothing is appended any more, not even what waits. */
  dispose(): void {
    this.#isDisposed = true;
    this.#parts = [];
    this.#length = 0;
    this.#timer?.dispose();
  }

  #schedule(): void {
    if (this.#timer) return;
    const wait = this.#lastAppend + BEAT_MS - this.#clock.now();
    if (wait <= 0) this.flush();
    else
      this.#timer = this.#clock.after(wait, () => {
        this.flush();
      });
  }
}

/** Milliseconds between two appends while lines trickle. */
const BEAT_MS = 50;
/** Characters that are appended at once, however soon. */
const BATCH_LENGTH = 64 * 1024;
/** Milliseconds in which everything else in the extension host has its turn. */
const BREATH_MS = 5;
