import type { ExitStatus } from '../engine/containers/waitForContainer.ts';
import { isLost } from '../engine/errors.ts';
import { isCancellation, type Disposable } from '../base/lifetime.ts';
import { settledWithin } from '../base/time.ts';

/** Milliseconds that a start waits for an earlier wait to be registered. */
const HOLD_MS = 1000;

/** Maximum number of exits to remember. */
const KEPT = 1000;

/**
 * The exits of containers. Keeps the exits of containers that are removed when they exit, and makes sure that
 * a start does not overtake a wait that was requested before it.
 */
export class ContainerExits implements Disposable {
  readonly #disposal = new AbortController();
  readonly #kept = new Map<string, { readonly name: string; readonly exit: Promise<ExitStatus> }>();
  readonly #pending = new Set<Pending>();
  readonly #waiting = new Set<{ readonly id: string; readonly controller: AbortController }>();

  /** Aborted when the exits are disposed: ends the waits whose exits are kept here. */
  get signal(): AbortSignal {
    return this.#disposal.signal;
  }

  /** Called when the engine is removed or the window closes. */
  dispose(): void {
    this.#disposal.abort();
  }

  /** Registers a wait. Must be called when the wait is requested, before anything asynchronous. */
  registerWait(): PendingWait {
    const id = Promise.withResolvers<string | undefined>();
    const settled = Promise.withResolvers<undefined>();
    const pending: Pending = { id: id.promise, settled: settled.promise };
    this.#pending.add(pending);
    return {
      identify: id.resolve,
      settle: () => {
        this.#pending.delete(pending);
        id.resolve(undefined);
        settled.resolve(undefined);
      },
    };
  }

  /**
   * Must be called when a start is requested. The returned function delays the start of `id` until the
   * earlier waits for it are registered with the engine.
   */
  beforeStart(): (id: string, signal: AbortSignal) => Promise<void> {
    const before = [...this.#pending];
    return async (id, signal) => {
      const standing = before.map(async (wait) => {
        if ((await wait.id) === id) await wait.settled;
      });
      if (standing.length > 0) await settledWithin(HOLD_MS, Promise.all(standing), { signal });
    };
  }

  /**
   * Returns a signal for a wait on the next exit of `id`. It is aborted with the error if the start fails,
   * because the engine itself would go on waiting. Dispose it when the wait ends.
   */
  untilStartFails(id: string): { readonly signal: AbortSignal } & Disposable {
    const controller = new AbortController();
    const entry = { id, controller };
    this.#waiting.add(entry);
    return { signal: controller.signal, dispose: () => this.#waiting.delete(entry) };
  }

  /**
   * Aborts the waits for a container whose start by Gantry failed. Not if the start was canceled or its answer lost:
   * the engine may start the container anyway.
   */
  startFailed(id: string, error: unknown): void {
    if (isCancellation(error) || isLost(error)) return;
    for (const entry of this.#waiting) if (entry.id === id) entry.controller.abort(error);
  }

  /** Keeps the exit of a container that is removed when it exits. */
  keep(id: string, name: string, exit: Promise<ExitStatus>): void {
    this.#kept.set(id, { name, exit });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT && oldest !== undefined) this.#kept.delete(oldest);
    // A failed wait does not reveal how the container exited.
    exit.catch(() => this.#kept.delete(id));
  }

  /**
   * Returns the kept exit of a container by its full ID, a unique prefix of it, or its name. With several of
   * the same name, returns the last.
   */
  find(text: string): { readonly id: string; readonly exit: Promise<ExitStatus> } | undefined {
    const exact = this.#kept.get(text);
    if (exact) return { id: text, exit: exact.exit };
    const all = [...this.#kept];
    const named = all.findLast(([, { name }]) => name === text);
    const fitting = named ? [named] : all.filter(([id]) => id.startsWith(text));
    const [only] = fitting;
    return fitting.length === 1 && only ? { id: only[0], exit: only[1].exit } : undefined;
  }
}

/** A wait that is not yet registered with the engine. */
interface PendingWait {
  /** Sets the container, once it is known. */
  identify(id: string): void;
  /** Called when the engine has registered the wait, or the wait has failed. */
  settle(): void;
}

interface Pending {
  readonly id: Promise<string | undefined>;
  readonly settled: Promise<void>;
}
