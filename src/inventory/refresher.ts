import { Alarm } from './alarm.ts';
import type { Clock } from '../base/time.ts';

/**
 * Collects stale keys and requests them: one request per burst, never two at a time. After each request it rests at
 * least as long as the request took, so that during a storm of events an engine has half of its time for others.
 */
export class Refresher {
  readonly #clock: Clock;
  readonly #refresh: RefreshRequest;
  readonly #alarm: Alarm;
  readonly #dueAt = new Map<string, number>();
  /** The keys of the request in flight. */
  #asking: ReadonlySet<string> = new Set();
  #restsUntil = 0;
  /** Number of calls of {@link renew}. */
  #renewals = 0;
  /** When the current sleep ends. */
  #waitsFor = Infinity;
  #lookedAt = 0;

  constructor(clock: Clock, refresh: RefreshRequest) {
    this.#clock = clock;
    this.#refresh = refresh;
    this.#alarm = new Alarm(clock);
  }

  /** Marks `key` to be requested in `inMs` milliseconds, or earlier if it is already marked for an earlier time. */
  mark(key: string, inMs = BEAT): void {
    const dueAt = this.#now() + inMs;
    this.#dueAt.set(key, Math.min(dueAt, this.#dueAt.get(key) ?? Infinity));
    if (this.#dueAt.size > MOST_KEYS) this.#forgetWhich();
    if (Math.max(dueAt, this.#restsUntil) < this.#waitsFor) this.#alarm.wake();
  }

  /** Requests everything without a rest, because the user is waiting. */
  renew(): void {
    this.#restsUntil = 0;
    this.#renewals++;
    this.mark(ALL, 0);
  }

  /** Whether a request is in flight or pending. */
  get isBusy(): boolean {
    return this.#dueAt.size > 0 || this.#asking.size > 0;
  }

  /** Whether `key` itself is marked and not requested yet. */
  isMarked(key: string): boolean {
    return this.#dueAt.has(key);
  }

  /** Whether `key` is being requested or marked, alone or with all keys. */
  isStale(key: string): boolean {
    return [key, ALL].some((one) => this.isMarked(one) || this.#asking.has(one));
  }

  /** Requests stale keys until it is aborted or a request fails; rejects with the reason. */
  async run(signal: AbortSignal): Promise<never> {
    for (;;) {
      const now = this.#now();
      const next = Math.max(this.#restsUntil, earliest(this.#dueAt.values()));
      const isDue = next <= now || (await this.#sleep(next - now, next, signal));
      if (isDue) await this.#ask(this.#removeDue(next), signal);
    }
  }

  #sleep(milliseconds: number, until: number, signal: AbortSignal): Promise<boolean> {
    this.#waitsFor = until;
    return this.#alarm.sleep(milliseconds, signal);
  }

  /** Returns the keys due at `moment` or within one beat after it, which belong to the same burst. */
  #removeDue(moment: number): readonly string[] {
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

  /** Returns the time. If the clock was set back, shifts all planned times with it. */
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

/** The key that represents all keys. */
export const ALL = '';

/** Milliseconds from the first event to the request. Most events of a burst arrive within it. */
const BEAT = 20;
/** With more keys it is cheaper to request everything than to remember each. */
const MOST_KEYS = 10_000;
/** After a cheap request the rest is twice as long, up to this many milliseconds. */
const SHORT_REST = 250;
/** After an expensive request the rest is as long, up to this many milliseconds, to limit how long keys stay stale. */
const LONGEST_REST = 5000;

/**
 * Requests the given keys in one request. Resolves to the milliseconds after which to request them again, or
 * to undefined if the request succeeded.
 */
export type RefreshRequest = (
  keys: readonly string[],
  signal: AbortSignal,
) => Promise<number | undefined>;

function restAfter(durationMs: number): number {
  return Math.max(Math.min(2 * durationMs, SHORT_REST), Math.min(durationMs, LONGEST_REST));
}

function earliest(moments: Iterable<number>): number {
  let first = Infinity;
  for (const moment of moments) first = Math.min(first, moment);
  return first;
}
