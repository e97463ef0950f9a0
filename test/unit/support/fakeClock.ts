import { abortReason, toDisposable, type Disposable } from '../../../src/base/lifetime.ts';
import type { Clock } from '../../../src/base/time.ts';

interface Sleeper {
  readonly milliseconds: number;
  readonly wakesAt: number;
  readonly wake: () => void;
}

/** A clock that the test controls. */
export class FakeClock implements Clock {
  readonly #sleepers = new Set<Sleeper>();
  #now = Date.parse('2026-06-01T12:00:00Z');
  #lookers: (() => void)[] = [];
  #bedtimes: (() => void)[] = [];

  now(): number {
    for (const looked of this.#lookers.splice(0)) looked();
    return this.#now;
  }

  delay(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        timer.dispose();
        if (signal) reject(abortReason(signal));
      };
      const timer = this.after(milliseconds, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
      if (signal?.aborted) onAbort();
    });
  }

  after(milliseconds: number, wake: () => void): Disposable {
    const sleeper = { milliseconds, wakesAt: this.#now + milliseconds, wake };
    this.#sleepers.add(sleeper);
    for (const told of this.#bedtimes.splice(0)) told();
    return toDisposable(() => this.#sleepers.delete(sleeper));
  }

  /** The delays of all pending timers. */
  get sleeping(): readonly number[] {
    return [...this.#sleepers].map((sleeper) => sleeper.milliseconds);
  }

  /** Advances the clock and fires due timers, each at its time. */
  pass(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (let next = this.#first(); next && next.wakesAt <= end; next = this.#first()) {
      this.#sleepers.delete(next);
      this.#now = Math.max(this.#now, next.wakesAt);
      next.wake();
    }
    this.#now = end;
  }

  /** Sets the time without firing timers, as a change of the system clock would. */
  set(milliseconds: number): void {
    this.#now = milliseconds;
  }

  /** Resolves when a timer with exactly this delay is pending. */
  async asleep(milliseconds: number): Promise<void> {
    while (!this.sleeping.includes(milliseconds)) {
      await new Promise<void>((resolve) => this.#bedtimes.push(resolve));
    }
    await turn();
  }

  /** Resolves on the next call of `now`. */
  looked(): Promise<void> {
    return new Promise((resolve) => this.#lookers.push(resolve));
  }

  #first(): Sleeper | undefined {
    let first: Sleeper | undefined;
    for (const one of this.#sleepers) if (!first || one.wakesAt < first.wakesAt) first = one;
    return first;
  }
}

/** A clock on which delays pass immediately: timers fire in the next turn of the event loop. */
export class HurriedClock implements Clock {
  #now = 0;

  now(): number {
    return this.#now;
  }

  delay(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.after(milliseconds, resolve));
  }

  after(milliseconds: number, run: () => void): Disposable {
    const timer = setImmediate(() => {
      this.#now += milliseconds;
      run();
    });
    return toDisposable(() => clearImmediate(timer));
  }
}

/** A clock far in the future, on which everything is overdue. */
export const OVERDUE: Clock = {
  now: () => Date.now() * 1e6,
  delay: () => Promise.resolve(),
  after: (_, run) => new HurriedClock().after(0, run),
};

/** Lets pending promises and callbacks run. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
