import { Alarm } from './alarm.ts';
import type { Clock } from '../time.ts';

/**
 * Collects what is stale and asks for it: one request for a burst, never two at a time. Each is followed by a rest
 * at least as long as it took, so that in a storm an engine has half of its time for others.
 */
export class Refresher {
  readonly #clock: Clock;
  readonly #refresh: RefreshRequest;
  readonly #alarm: Alarm;
  readonly #dueAt = new Map<string, number>();
  /** What is asked for right now. */
  #asking: ReadonlySet<string> = new Set();
  #restsUntil = 0;
  /** How often all was asked for without any rest. */
  #renewals = 0;
  /** What the sleep of the loop ends with. */
  #waitsFor = Infinity;
  #lookedAt = 0;

  constructor(clock: Clock, refresh: RefreshRequest) {
    this.#clock = clock;
    this.#refresh = refresh;
    this.#alarm = new Alarm(clock);
  }

  /** Says that `key` is to be asked for in so many milliseconds, or earlier where that was said before. */
  mark(key: string, inMs = BEAT): void {
    const dueAt = this.#now() + inMs;
    this.#dueAt.set(key, Math.min(dueAt, this.#dueAt.get(key) ?? Infinity));
    if (this.#dueAt.size > MOST_KEYS) this.#forgetWhich();
    if (Math.max(dueAt, this.#restsUntil) < this.#waitsFor) this.#alarm.wake();
  }

  /** Asks for all of it without any rest: somebody waits for it. */
  renew(): void {
    this.#restsUntil = 0;
    this.#renewals++;
    this.mark(ALL, 0);
  }

  /** Whether anything is being asked for, or will be. */
  get isBusy(): boolean {
    return this.#dueAt.size > 0 || this.#asking.size > 0;
  }

  /** Whether `key` itself is still to be asked for. */
  isMarked(key: string): boolean {
    return this.#dueAt.has(key);
  }

  /** Whether `key` is being asked for, or will be, alone or with all. */
  isStale(key: string): boolean {
    return [key, ALL].some((one) => this.isMarked(one) || this.#asking.has(one));
  }

  /** Refreshes until it is aborted or a request fails, and rejects with the reason. */
  async run(signal: AbortSignal): Promise<never> {
    for (;;) {
      const now = this.#now();
      const next = Math.max(this.#restsUntil, earliest(this.#dueAt.values()));
      const isDue = next <= now || (await this.#sleep(next - now, next, signal));
      if (isDue) await this.#ask(this.#take(next), signal);
    }
  }

  #sleep(milliseconds: number, until: number, signal: AbortSignal): Promise<boolean> {
    this.#waitsFor = until;
    return this.#alarm.sleep(milliseconds, signal);
  }

  /** What is due at that moment, and what came within the beat before it: it belongs to the same burst. */
  #take(moment: number): readonly string[] {
    const until = Math.max(moment, this.#now()) + BEAT;
    const keys = [...this.#dueAt].filter(([, dueAt]) => dueAt <= until).map(([key]) => key);
    for (const key of keys) this.#dueAt.delete(key);
    return keys;
  }

  async #ask(keys: readonly string[], signal: AbortSignal): Promise<void> {
    const askedAt = this.#now();
    this.#asking = new Set(keys);
    const renewals = this.#renewals;
    const againIn = await this.#refresh(keys, signal);
    this.#asking = new Set();
    const now = this.#now();
    const rest = Math.max(restAfter(now - askedAt), againIn ?? 0);
    this.#restsUntil = renewals === this.#renewals ? now + rest : 0;
    if (againIn !== undefined) for (const key of keys) this.mark(key, againIn);
  }

  #forgetWhich(): void {
    const first = earliest(this.#dueAt.values());
    this.#dueAt.clear();
    this.#dueAt.set(ALL, first);
  }

  /** The time. If the clock was set back, everything that is planned moves with it. */
  #now(): number {
    const now = this.#clock.now();
    const setBack = this.#lookedAt - now;
    this.#lookedAt = now;
    if (setBack <= 0) return now;
    this.#restsUntil -= setBack;
    for (const [key, dueAt] of this.#dueAt) this.#dueAt.set(key, dueAt - setBack);
    return now;
  }
}

/** The key that stands for all of them. */
export const ALL = '';

/** From the first event to the request, in milliseconds: what belongs together mostly comes within it. */
const BEAT = 20;
/** For more than these it is not worth remembering each: all are asked for. */
const MOST_KEYS = 10_000;
/** A cheap request is followed by a rest twice as long, up to this. */
const SHORT_REST = 250;
/** A dear one by a rest just as long, up to this: what is stale waits no longer. */
const LONGEST_REST = 5000;

/**
 * Asks for what it is given, in one request. What it resolves to is how many milliseconds later the same is asked
 * for again: undefined where the request did its work.
 */
export type RefreshRequest = (
  keys: readonly string[],
  signal: AbortSignal,
) => Promise<number | undefined>;

function restAfter(tookMs: number): number {
  return Math.max(Math.min(2 * tookMs, SHORT_REST), Math.min(tookMs, LONGEST_REST));
}

function earliest(moments: Iterable<number>): number {
  let first = Infinity;
  for (const moment of moments) first = Math.min(first, moment);
  return first;
}
