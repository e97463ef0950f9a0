import { Alarm, type Clock } from './clock.ts';

/** From the first event to the request, in milliseconds: what belongs together mostly comes within it. */
const BEAT = 20;
/** However dear a list is, what is stale waits no longer for the next one. */
const LONGEST_BEAT = 250;
/** No wait is longer than this, even if somebody set the clock back meanwhile. */
const LONGEST_WAIT = 1000;

/** Asks for what it is given, in one request. */
export type Refresh = (keys: readonly string[], signal: AbortSignal) => Promise<void>;

/**
 * Collects what is stale and asks for it: one request for a burst, never two at a time. In a storm it rests
 * twice as long as the last request took, so that neither we nor the engine do nothing else.
 */
export class Refresher {
  readonly #clock: Clock;
  readonly #refresh: Refresh;
  readonly #alarm: Alarm;
  readonly #dueAt = new Map<string, number>();
  #restsUntil = 0;
  /** What the sleep of the loop ends with. */
  #waitsFor = Infinity;

  constructor(clock: Clock, refresh: Refresh) {
    this.#clock = clock;
    this.#refresh = refresh;
    this.#alarm = new Alarm(clock);
  }

  /** Says that `key` is to be asked for in so many milliseconds, or earlier where that was said before. */
  mark(key: string, inMs = BEAT): void {
    const dueAt = this.#clock.now() + inMs;
    this.#dueAt.set(key, Math.min(dueAt, this.#dueAt.get(key) ?? Infinity));
    if (Math.max(dueAt, this.#restsUntil) < this.#waitsFor) this.#alarm.wake();
  }

  /** Refreshes until it is aborted or a request fails, and rejects with the reason. */
  async run(signal: AbortSignal): Promise<never> {
    for (;;) {
      const next = Math.max(this.#restsUntil, Math.min(...this.#dueAt.values()));
      const isDue = await this.#sleepUntil(next, signal);
      if (isDue) await this.#ask(this.#take(next), signal);
    }
  }

  async #sleepUntil(moment: number, signal: AbortSignal): Promise<boolean> {
    const rest = moment - this.#clock.now();
    if (rest <= 0) return true;
    this.#waitsFor = moment;
    const longest = moment === Infinity ? Infinity : LONGEST_WAIT;
    return this.#alarm.sleep(Math.min(rest, longest), signal);
  }

  /** What is due at that moment, and what came within the beat before it: it belongs to the same burst. */
  #take(moment: number): readonly string[] {
    const until = Math.max(moment, this.#clock.now()) + BEAT;
    const keys = [...this.#dueAt].filter(([, dueAt]) => dueAt <= until).map(([key]) => key);
    for (const key of keys) this.#dueAt.delete(key);
    return keys;
  }

  async #ask(keys: readonly string[], signal: AbortSignal): Promise<void> {
    const askedAt = this.#clock.now();
    await this.#refresh(keys, signal);
    const now = this.#clock.now();
    const isStorm = this.#dueAt.size > 0;
    this.#restsUntil = isStorm ? now + Math.min(2 * (now - askedAt), LONGEST_BEAT) : 0;
  }
}
