import type { Disposable } from '../lifetime.ts';
import { monotonicClock, Throttle, type Clock } from '../time.ts';

/**
 * Batches text on its way to a channel. What comes after silence is appended at once; what trickles, once in
 * 50 ms; a flood, in batches of 64 KiB with a breath after each, for which the sender waits.
 */
export class LogWriter implements Disposable {
  readonly #clock: Clock;
  readonly #throttle: Throttle;
  #parts: string[] = [];
  #length = 0;
  #isDisposed = false;

  constructor(append: (text: string) => void, clock: Clock = monotonicClock) {
    this.#clock = clock;
    this.#throttle = new Throttle(clock, BEAT_MS, () => {
      const text = this.#parts.join('');
      this.#clear();
      append(text);
    });
  }

  /** Takes text; resolves when more may come. */
  async write(text: string): Promise<void> {
    if (this.#isDisposed || text === '') return;
    this.#parts.push(text);
    this.#length += text.length;
    if (this.#length >= BATCH_LENGTH) {
      this.flush();
      await this.#clock.delay(BREATH_MS);
    } else this.#throttle.request();
  }

  /** Appends what waits. */
  flush(): void {
    if (this.#length > 0) this.#throttle.flush();
  }

  /** Nothing is appended any more, not even what waits. */
  dispose(): void {
    this.#isDisposed = true;
    this.#clear();
    this.#throttle.dispose();
  }

  #clear(): void {
    this.#parts = [];
    this.#length = 0;
  }
}

/** Milliseconds between two appends while lines trickle. */
const BEAT_MS = 50;
/** Characters that are appended at once, however soon. */
const BATCH_LENGTH = 64 * 1024;
/** Milliseconds in which everything else in the extension host has its turn. */
const BREATH_MS = 5;
