import { abortReason, toDisposable, type Disposable } from '../../../src/lifetime.ts';
import type { Clock } from '../../../src/time.ts';

interface Sleeper {
  readonly milliseconds: number;
  readonly wakesAt: number;
  readonly wake: () => void;
}

/** Time that passes when a test says so. */
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

  /** How long each of those who sleep now meant to. */
  get sleeping(): readonly number[] {
    return [...this.#sleepers].map((sleeper) => sleeper.milliseconds);
  }

  /** Lets time pass and wakes whose time is over, each at its time. */
  pass(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (let next = this.#first(); next && next.wakesAt <= end; next = this.#first()) {
      this.#sleepers.delete(next);
      this.#now = Math.max(this.#now, next.wakesAt);
      next.wake();
    }
    this.#now = end;
  }

  /** Moves the time without anybody waking, as somebody who sets a clock does. */
  set(milliseconds: number): void {
    this.#now = milliseconds;
  }

  /** Resolves when somebody has gone to sleep for just so long. */
  async asleep(milliseconds: number): Promise<void> {
    while (!this.sleeping.includes(milliseconds)) {
      await new Promise<void>((resolve) => this.#bedtimes.push(resolve));
    }
    await turn();
  }

  /** Resolves when somebody has asked for the time. */
  looked(): Promise<void> {
    return new Promise((resolve) => this.#lookers.push(resolve));
  }

  #first(): Sleeper | undefined {
    let first: Sleeper | undefined;
    for (const one of this.#sleepers) if (!first || one.wakesAt < first.wakesAt) first = one;
    return first;
  }
}

/** Time passes at once: what is due later is due at the next turn. */
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
    return toDisposable(() => {
      clearImmediate(timer);
    });
  }
}

/** A clock by which everything is long overdue. */
export const OVERDUE: Clock = {
  now: () => Date.now() * 1e6,
  delay: () => Promise.resolve(),
  after: (_, run) => new HurriedClock().after(0, run),
};

/** Lets everything that waits for nothing go on. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
