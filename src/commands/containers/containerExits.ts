import type { ExitStatus } from '../../engine/containers/waitForContainer.ts';
import type { Disposable } from '../../lifetime.ts';
import { settledWithin } from '../../time.ts';

/** How long a start waits for a wait that was asked for before it. */
const HOLD_MS = 1000;

/** More ends than this are not remembered. */
const KEPT = 1000;

/**
 * The ends of containers: keeps those of containers that remove themselves, and sees to it that a start does
 * not overtake a wait that was asked for before it.
 */
export class ContainerExits implements Disposable {
  readonly #disposal = new AbortController();
  readonly #kept = new Map<string, { readonly name: string; readonly exit: Promise<ExitStatus> }>();
  readonly #pending = new Set<Pending>();
  readonly #waiting = new Set<{ readonly id: string; readonly controller: AbortController }>();

  /** Ends the waits for what is kept here. */
  get signal(): AbortSignal {
    return this.#disposal.signal;
  }

  /** The engine is given up, or the window closes. */
  dispose(): void {
    this.#disposal.abort();
  }

  /** Call it when a wait is asked for, before anything asynchronous. */
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

  /** Call it when a start is asked for; what comes back holds the start of `id` until those waits stand. */
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
   * A controller for a wait on the next end of `id`, aborted with the reason should its start fail: the engine
   * itself goes on waiting then. Dispose it when the wait is over.
   */
  untilStartFails(id: string): { readonly signal: AbortSignal } & Disposable {
    const controller = new AbortController();
    const entry = { id, controller };
    this.#waiting.add(entry);
    return { signal: controller.signal, dispose: () => this.#waiting.delete(entry) };
  }

  /** A start of ours failed. */
  startFailed(id: string, error: unknown): void {
    for (const entry of this.#waiting) {
      if (entry.id === id) entry.controller.abort(error);
    }
  }

  /** Keeps how a container ends that will be gone then. */
  keep(id: string, name: string, exit: Promise<ExitStatus>): void {
    this.#kept.set(id, { name, exit });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT && oldest !== undefined) this.#kept.delete(oldest);
    // A wait that broke says nothing about the end.
    exit.catch(() => this.#kept.delete(id));
  }

  /** The kept end of a container by its full id, a leading part that fits one, or its name: of several the last. */
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

/** A wait that is on its way to the engine. */
export interface PendingWait {
  /** Says which container it is for, once that is known. */
  identify(id: string): void;
  /** The engine has registered it, or it has failed. */
  settle(): void;
}

interface Pending {
  readonly id: Promise<string | undefined>;
  readonly settled: Promise<void>;
}
