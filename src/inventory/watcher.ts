import type { Connection } from '../engine/connection.ts';
import { EngineError, needsPerson } from '../engine/errors.ts';
import type { Disposable } from '../lifetime.ts';
import { backOff } from './backOff.ts';
import { Alarm, type Clock } from './clock.ts';
import type { Inventory } from './inventory.ts';
import { Session } from './session.ts';

export interface WatcherOptions {
  readonly inventory: Inventory;
  /** Gives a connection whose engine answers now. It stays its giver's to close. */
  readonly connect: (signal?: AbortSignal) => Promise<Connection>;
  readonly clock: Clock;
  /** Between 0 and 1, for the jitter. Default `Math.random`. */
  readonly random?: () => number;
  /**
   * While the engine is lost with this error, calls back when it seems to be there again. Nothing where there
   * is no such sign.
   */
  readonly whenBack?: (error: EngineError, onBack: () => void) => Disposable | undefined;
}

/**
 * Keeps an inventory true to its engine, for ever: a session that ends for whatever reason is said to be
 * lost at once, and another one is tried after a rest that grows and is capped. Where only a person can mend
 * what failed, it rests until it is told to try.
 */
export class Watcher implements Disposable {
  readonly #options: WatcherOptions;
  readonly #rest: Alarm;
  #run: AbortController | undefined;
  #session: Session | undefined;
  #isDisposed = false;

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.#rest = new Alarm(options.clock);
  }

  /** Begins to watch. Nothing is asked of an engine before; later calls do nothing. */
  start(): void {
    if (this.#run || this.#isDisposed) return;
    this.#options.inventory.setPhase({ kind: 'connecting' });
    this.#launch();
  }

  /**
   * Asks for everything anew, once for calls that come together; where the engine was lost, tries again at
   * once, whatever it was lost by.
   */
  renew(): void {
    this.#session?.renew();
    this.#rest.wake();
  }

  /** A call has found nobody: makes sure that the engine is there. Nothing while it is lost anyway. */
  verify(): void {
    this.#session?.verify();
  }

  /** Forgets everything, for it may be another engine now, and begins anew at once. */
  reconnect(): void {
    if (!this.#run || this.#isDisposed) return;
    this.#stop();
    const { inventory, clock } = this.#options;
    inventory.replaceAll([], [], clock.now(), { kind: 'connecting' });
    this.#launch();
  }

  /** Forgets everything and asks nothing any more, until {@link start}: the person disconnected the engine. */
  suspend(): void {
    if (this.#isDisposed) return;
    this.#stop();
    const { inventory, clock } = this.#options;
    inventory.replaceAll([], [], clock.now(), { kind: 'off' });
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#stop();
  }

  #stop(): void {
    this.#run?.abort();
    this.#run = undefined;
    this.#session = undefined;
  }

  #launch(): void {
    const run = (this.#run = new AbortController());
    void this.#watch(run.signal);
  }

  /** Never rejects: all that ends it is the signal. */
  async #watch(signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      const error = await this.#untilLost(signal, () => (failures = 0));
      const isRested = await this.#restAfter(error, failures, signal);
      // Somebody knows better: what follows is a new story.
      failures = isRested ? failures + 1 : 0;
    }
  }

  /** Whether the time is over; else somebody woke it. */
  async #restAfter(error: EngineError, failures: number, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    const { inventory, random = Math.random, whenBack } = this.#options;
    const hadRows = inventory.containers.size + inventory.images.size > 0;
    inventory.setPhase({ kind: 'lost', error, hadRows });
    const milliseconds = needsPerson(error)
      ? Infinity
      : backOff(failures, error.endpoint, random());
    const sign = whenBack?.(error, () => {
      this.#rest.wake();
    });
    try {
      return await this.#rest.sleep(milliseconds, signal).catch(() => false);
    } finally {
      sign?.dispose();
    }
  }

  async #untilLost(signal: AbortSignal, onLive: () => void): Promise<EngineError> {
    const { inventory, connect, clock } = this.#options;
    try {
      const connection = await connect(signal);
      signal.throwIfAborted();
      const session = (this.#session = new Session(connection, inventory, clock));
      return await session.run(signal, onLive);
    } catch (error) {
      return error instanceof EngineError ? error : new EngineError('failed', { cause: error });
    } finally {
      // After a `reconnect` it is another run's.
      if (!signal.aborted) this.#session = undefined;
    }
  }
}
