/**
 * Who owns what, and for how long. Knows tokens, events and disposables by their shape, so that every
 * room can use it without importing `vscode`.
 */

/** Anything that is released by one call. */
export interface Disposable {
  dispose(): void;
}

/** Subscribes a listener; disposing what comes back unsubscribes it. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/** The shape of an editor's cancellation token. */
export interface CancelToken {
  readonly isCancellationRequested: boolean;
  readonly onCancellationRequested: (listener: () => void) => Disposable;
}

/** Wraps a function as a disposable that runs it at most once. */
export function toDisposable(release: () => void): Disposable {
  let isDone = false;
  return {
    dispose: () => {
      if (isDone) return;
      isDone = true;
      release();
    },
  };
}

/** A list of things that end together. What is added after the end is ended at once. */
export class DisposableStore implements Disposable {
  readonly #items = new Set<Disposable>();
  #isDisposed = false;

  get isDisposed(): boolean {
    return this.#isDisposed;
  }

  /** Takes ownership of `item` and hands it back. */
  add<T extends Disposable>(item: T): T {
    if (this.#isDisposed) item.dispose();
    else this.#items.add(item);
    return item;
  }

  /** Ends all items, the newest first, for later ones may stand on earlier ones. */
  dispose(): void {
    this.#isDisposed = true;
    const items = [...this.#items].reverse();
    this.#items.clear();
    for (const item of items) item.dispose();
  }
}

/** Source of one event. A listener that throws does not keep the others from hearing. */
export class Emitter<T> implements Disposable {
  readonly #listeners = new Set<(value: T) => void>();

  readonly event: Event<T> = (listener) => {
    // A wrapper of its own for each subscription: the same function may subscribe twice.
    const entry = (value: T): void => {
      listener(value);
    };
    this.#listeners.add(entry);
    return toDisposable(() => this.#listeners.delete(entry));
  };

  fire(value: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        // Reported outside this loop: the source is not to blame, and the others must hear.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  dispose(): void {
    this.#listeners.clear();
  }
}

/** An AbortSignal that follows an editor's token. Dispose it when the work is over. */
export function signalOf(token: CancelToken): { readonly signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  const subscription = token.onCancellationRequested(() => {
    controller.abort();
  });
  if (token.isCancellationRequested) controller.abort();
  return {
    signal: controller.signal,
    dispose: () => {
      subscription.dispose();
    },
  };
}

/** What an aborted signal rejects with: always an Error, whatever was given as the reason. */
export function abortReason(signal: AbortSignal): Error {
  return signal.reason instanceof Error
    ? signal.reason
    : new DOMException('This operation was cancelled', 'AbortError');
}

/** Whether an error only says that somebody cancelled. Such errors are never wrapped and never shown. */
export function isCancellation(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'Canceled');
}
