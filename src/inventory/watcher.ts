import type { Connection } from '../engine/http/connection.ts';
import { EngineError, failedWith, needsUser } from '../engine/errors.ts';
import type { Disposable } from '../lifetime.ts';
import { backOff, capOf } from './backOff.ts';
import { Alarm } from './alarm.ts';
import type { Clock } from '../time.ts';
import type { Inventory } from './inventory.ts';
import { InventorySession, type SessionBreak } from './inventorySession.ts';

/**
 * Keeps an inventory true to its engine, for ever: a session that ends for whatever reason is said to be
 * lost at once, unless it was a long one that can be gone on with at once. Another one is tried after a rest that
 * grows and is capped. Where only a person can mend what failed, it rests until it is told to try.
 */
export class Watcher implements Disposable {
  readonly #options: WatcherOptions;
  readonly #rest: Alarm;
  #run: AbortController | undefined;
  #session: InventorySession | undefined;
  #sign: Disposable | undefined;
  /** Whether the engine seemed to be back since the last rest. */
  #hasSign = false;
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

  /** The user is back at the window: asks for what no event tells; tries a lost engine again at once. */
  refocus(): void {
    this.#session?.refocus();
    this.#rest.wake();
  }

  /** Asks for one container, whose state may have changed without an event. */
  recheck(id: string): void {
    this.#session?.recheck(id);
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
    this.#forgetSign();
  }

  #launch(): void {
    const run = (this.#run = new AbortController());
    void this.#watch(run.signal);
  }

  /** Never rejects: all that ends it is the signal. */
  async #watch(signal: AbortSignal): Promise<void> {
    let failures = 0;
    let lostAt: number | undefined;
    let cut: Cut | undefined;
    const onLive = (): void => {
      this.#forgetSign();
      failures = 0;
      lostAt = undefined;
    };
    while (!signal.aborted) {
      const ended = await this.#untilLost(signal, onLive, cut);
      cut = this.#cutOf(ended);
      if (cut) continue;
      lostAt ??= this.#options.clock.now();
      // It came up during the try: the next one is to follow soon.
      if (this.#hasSign) failures = 0;
      const isRested = await this.#restAfter(ended.error, failures, lostAt, signal);
      // Somebody knows better: what follows is a new story.
      failures = isRested ? failures + 1 : 0;
    }
  }

  #cutOf({ error, session }: Ended): Cut | undefined {
    const { provenMs = PROVEN_MS } = this.#options;
    if (!session || !failedWith(error, 'cut') || session.liveFor < provenMs) return undefined;
    const silent = session.breakIfSilent();
    return silent ? { error, silent } : { error };
  }

  #reportLost(error: EngineError): void {
    const { inventory, clock } = this.#options;
    const hadRows = inventory.containers.size + inventory.images.size > 0;
    inventory.setPhase({ kind: 'lost', error, hadRows }, clock.now());
  }

  /** Whether the time is over; else somebody woke it. */
  async #restAfter(
    error: EngineError,
    failures: number,
    lostAt: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (signal.aborted) return false;
    const { clock, random = Math.random } = this.#options;
    this.#reportLost(error);
    const milliseconds = needsUser(error)
      ? Infinity
      : backOff(failures, capOf(error), clock.now() - lostAt, random());
    this.#awaitSign(error);
    try {
      return await this.#rest.sleep(milliseconds, signal).catch(() => false);
    } finally {
      this.#hasSign = false;
    }
  }

  /** The watch before this one ends once this one is made: between them nothing is missed. */
  #awaitSign(error: EngineError): void {
    const before = this.#sign;
    this.#sign = this.#options.whenBack?.(error, () => {
      this.#hasSign = true;
      this.#rest.wake();
    });
    before?.dispose();
  }

  #forgetSign(): void {
    this.#sign?.dispose();
    this.#sign = undefined;
    this.#hasSign = false;
  }

  async #untilLost(signal: AbortSignal, onLive: () => void, cut?: Cut): Promise<Ended> {
    const { inventory, connect, clock, random = Math.random } = this.#options;
    let session: InventorySession | undefined;
    try {
      const connection = await (cut ? this.#reconnect(cut.error, signal) : connect(signal));
      signal.throwIfAborted();
      this.#session = session = new InventorySession({ connection, inventory, clock, random });
      return await session.run(signal, onLive, cut?.silent);
    } catch (thrown) {
      const error =
        thrown instanceof EngineError ? thrown : new EngineError('failed', { cause: thrown });
      return session ? { error, session } : { error };
    } finally {
      // After a `reconnect` it is another run's.
      if (!signal.aborted) this.#session = undefined;
    }
  }

  /** A try that is not told of, unless it takes long. */
  async #reconnect(error: EngineError, signal: AbortSignal): Promise<Connection> {
    const { connect, clock } = this.#options;
    const done = new AbortController();
    const late = clock.delay(UNSAID_MS, AbortSignal.any([signal, done.signal])).then(
      () => {
        this.#reportLost(error);
      },
      () => undefined,
    );
    try {
      return await connect(signal);
    } finally {
      done.abort();
      await late;
    }
  }
}

export interface WatcherOptions {
  readonly inventory: Inventory;
  /** Gives a connection whose engine answers now. It stays its giver's to close. */
  readonly connect: (signal?: AbortSignal) => Promise<Connection>;
  readonly clock: Clock;
  /** Between 0 and 1, for the jitter. Default `Math.random`. */
  readonly random?: () => number;
  /**
   * A session that has been live for so long, in milliseconds, gets one try at once when its stream is cut: many
   * proxies cut what is silent. Default 5 s; tests that want to hear of each loss have their own.
   */
  readonly provenMs?: number;
  /**
   * While the engine is lost with this error, calls back when it seems to be there again. Undefined if there is
   * no such sign. Disposed of only after the next try, so that an engine that starts during it is noticed, too.
   */
  readonly whenBack?: (error: EngineError, onBack: () => void) => Disposable | undefined;
}

const PROVEN_MS = 5000;
/** How long that try may take before the engine is said to be lost, in milliseconds. */
const UNSAID_MS = 1000;

/** How a session ended. */
interface Ended {
  readonly error: EngineError;
  readonly session?: InventorySession;
}

/** A stream that was cut after a good session. */
interface Cut {
  readonly error: EngineError;
  /** Only if the session was silent. */
  readonly silent?: SessionBreak;
}
