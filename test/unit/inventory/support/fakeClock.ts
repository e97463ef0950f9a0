import type { Clock } from '../../../../src/inventory/clock.ts';
import { abortReason } from '../../../../src/lifetime.ts';

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

  delay(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#sleepers.delete(sleeper);
        reject(abortReason(signal));
      };
      const wake = (): void => {
        this.#sleepers.delete(sleeper);
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const sleeper = { milliseconds, wakesAt: this.#now + milliseconds, wake };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#sleepers.add(sleeper);
      for (const told of this.#bedtimes.splice(0)) told();
    });
  }

  /** How long each of those who sleep now meant to. */
  get sleeping(): readonly number[] {
    return [...this.#sleepers].map((sleeper) => sleeper.milliseconds);
  }

  /** Lets time pass and wakes whose time is over. */
  pass(milliseconds: number): void {
    this.#now += milliseconds;
    for (const sleeper of [...this.#sleepers]) if (sleeper.wakesAt <= this.#now) sleeper.wake();
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
}

/** Lets everything that waits for nothing go on. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
