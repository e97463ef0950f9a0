import type { Connection } from '../engine/connection.ts';
import { EngineError } from '../engine/errors.ts';
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
}

/**
 * Keeps an inventory true to its engine, for ever: a session that ends for whatever reason is said to be
 * lost at once, and another one is tried after a rest that grows and is capped.
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

  /** Asks for everything anew; where the engine was lost, tries again at once. */
  renew(): void {
    this.#session?.renew();
    this.#rest.wake();
  }

  /** Forgets everything, for it may be another engine now, and begins anew at once. */
  reconnect(): void {
    if (!this.#run || this.#isDisposed) return;
    this.#stop();
    const { inventory, clock } = this.#options;
    inventory.replaceAll([], [], clock.now(), { kind: 'connecting' });
    this.#launch();
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
      await this.#restAfter(error, failures++, signal);
    }
  }

  async #restAfter(error: EngineError, failures: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { inventory, random = Math.random } = this.#options;
    const hadRows = inventory.containers.size + inventory.images.size > 0;
    inventory.setPhase({ kind: 'lost', error, hadRows });
    const milliseconds = backOff(failures, error.endpoint, random());
    await this.#rest.sleep(milliseconds, signal).catch(() => undefined);
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
