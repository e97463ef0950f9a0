import type { Connection } from '../engine/http/connection.ts';
import { EngineError, failedWith, needsUser } from '../engine/errors.ts';
import type { Disposable } from '../base/lifetime.ts';
import { backOff, capOf } from './backOff.ts';
import { Alarm } from './alarm.ts';
import type { Clock } from '../base/time.ts';
import type { Inventory } from './inventory.ts';
import { InventoryRequests } from './inventoryRequests.ts';
import { InventorySession, type SessionBreak } from './inventorySession.ts';

/**
 * Keeps an inventory up to date until disposed. A session that ends is reported as lost immediately, unless
 * it was a long one that can be resumed immediately. The next session is tried after a rest that grows up to
 * a limit. If only the user can fix the failure, the watcher rests until a retry is requested.
 */
export class Watcher implements Disposable {
  /** Requests to the current session; some also wake a watcher at rest. */
  readonly requests = new InventoryRequests();
  readonly #options: WatcherOptions;
  readonly #rest: Alarm;
  #run: AbortController | undefined;
  #sign: Disposable | undefined;
  /** Whether the engine seemed to be back since the last rest. */
  #hasSign = false;
  #isDisposed = false;

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.#rest = new Alarm(options.clock);
    this.requests.event(({ kind }) => {
      const { phase } = options.inventory;
      const isUsers = phase.kind === 'lost' && needsUser(phase.error);
      if (kind === 'renew' || (kind === 'refocus' && !isUsers)) this.#rest.wake();
    });
  }

  /** Starts watching. No request is sent before. Later calls do nothing. */
  start(): void {
    if (this.#run || this.#isDisposed) return;
    this.#options.inventory.setPhase({ kind: 'connecting' });
    this.#launch();
  }

  /** Clears the inventory, because it may be another engine now, and connects again immediately. */
  reconnect(): void {
    if (!this.#run || this.#isDisposed) return;
    this.#stop();
    const { inventory, clock } = this.#options;
    inventory.clear(clock.now(), { kind: 'connecting' });
    this.#launch();
  }

  /** Clears the inventory and sends no more requests until {@link start}, because the user disconnected the engine. */
  suspend(): void {
    if (this.#isDisposed) return;
    this.#stop();
    const { inventory, clock } = this.#options;
    inventory.clear(clock.now(), { kind: 'off' });
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#stop();
    this.requests.dispose();
  }

  #stop(): void {
    this.#run?.abort();
    this.#run = undefined;
    this.#forgetSign();
  }

  #launch(): void {
    const run = (this.#run = new AbortController());
    void this.#watch(run.signal);
  }

  /** Never rejects. Only the signal ends it. */
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
      // The engine came up during the try: try again soon.
      if (this.#hasSign) failures = 0;
      const isRested = await this.#restAfter(ended.error, failures, lostAt, signal);
      // Woken: the engine may be back or the user wants a retry, so the back-off starts over.
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

  /** Resolves to whether the time has passed; false if woken. */
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

  /** Disposes the previous watch only after the new one is created, so that no sign is missed in between. */
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
    let serving: Disposable | undefined;
    try {
      const connection = await (cut ? this.#reconnect(cut.error, signal) : connect(signal));
      signal.throwIfAborted();
      const current = (session = new InventorySession({ connection, inventory, clock, random }));
      serving = this.requests.event((request) => current.serve(request));
      return await session.run(signal, onLive, cut?.silent);
    } catch (thrown) {
      const error =
        thrown instanceof EngineError ? thrown : new EngineError('failed', { cause: thrown });
      return session ? { error, session } : { error };
    } finally {
      serving?.dispose();
    }
  }

  /** Reconnects without reporting the engine as lost, unless that takes long. */
  async #reconnect(error: EngineError, signal: AbortSignal): Promise<Connection> {
    const { connect, clock } = this.#options;
    const done = new AbortController();
    const late = clock.delay(UNSAID_MS, AbortSignal.any([signal, done.signal])).then(
      () => this.#reportLost(error),
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

interface WatcherOptions {
  readonly inventory: Inventory;
  /** Returns a connection to an engine that has just answered. The provider of the connection closes it. */
  readonly connect: (signal?: AbortSignal) => Promise<Connection>;
  readonly clock: Clock;
  /** Returns a number between 0 and 1, for the jitter. Default: `Math.random`. */
  readonly random?: () => number;
  /**
   * A session that was live for this many milliseconds is resumed immediately when its stream is cut, because
   * many proxies close idle connections. Default: 5 s; tests that check each loss set their own.
   */
  readonly provenMs?: number;
  /**
   * Calls back when the engine seems to be there again after this error. Returns undefined if there is no
   * such sign. Disposed only after the next try, so that an engine that starts during the try is noticed too.
   */
  readonly whenBack?: (error: EngineError, onBack: () => void) => Disposable | undefined;
}

const PROVEN_MS = 5000;
/** Number of milliseconds that resuming may take before the engine is reported as lost. */
const UNSAID_MS = 1000;

interface Ended {
  readonly error: EngineError;
  readonly session?: InventorySession;
}

interface Cut {
  readonly error: EngineError;
  /** Set only if the session was silent. */
  readonly silent?: SessionBreak;
}
