/**
 * Disposables, events, cancellation and lazy values. Declares VS Code's types by their shape, so that every
 * folder can use them without importing `vscode`.
 */

/** An object that is released by one call. */
export interface Disposable {
  dispose(): void;
}

/** Subscribes a listener. Disposing the result unsubscribes the listener. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/** The shape of VS Code's `CancellationToken`. */
interface CancelToken {
  readonly isCancellationRequested: boolean;
  readonly onCancellationRequested: (listener: () => void) => Disposable;
}

/** Storage that survives a reload of the window. The shape of VS Code's `Memento`. */
export interface Memento {
  get(key: string): unknown;
  get<T>(key: string, defaultValue: T): T;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** Returns a disposable that runs a function at most once. */
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

/** Awaits what is opened with a resource, which is disposed of if that fails. */
export async function orDisposed<T>(opening: Promise<T>, resource: AsyncDisposable): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    await resource[Symbol.asyncDispose]();
    throw error;
  }
}

/** Returns a function that calls `make` at its first call and returns the same value at every call. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Returns a function that remembers what `find` found. It is called again while it found nothing. */
export function foundOnce<T>(find: () => Promise<T | undefined>): () => Promise<T | undefined> {
  let found: Promise<T | undefined> | undefined;
  return async () => {
    const item = await (found ??= find());
    if (item === undefined) found = undefined;
    return item;
  };
}

/** A set of disposables with the same lifetime. An item that is added after `dispose` is disposed immediately. */
export class DisposableStore implements Disposable {
  readonly #items = new Set<Disposable>();
  #isDisposed = false;

  get isDisposed(): boolean {
    return this.#isDisposed;
  }

  /** Takes ownership of `item` and returns it. */
  add<T extends Disposable>(item: T): T {
    if (this.#isDisposed) item.dispose();
    else this.#items.add(item);
    return item;
  }

  /** Subscribes a listener to an event until the store is disposed. */
  listen<T>(event: Event<T>, listener: (value: T) => void): void {
    this.add(event(listener));
  }

  /** Disposes all items, the newest first, because later items may depend on earlier ones. */
  dispose(): void {
    this.#isDisposed = true;
    const items = [...this.#items].reverse();
    this.#items.clear();
    for (const item of items) item.dispose();
  }
}

/** The source of one event. A listener that throws does not keep the others from being called. */
export class Emitter<T> implements Disposable {
  readonly #listeners = new Set<(value: T) => void>();

  readonly event: Event<T> = (listener) => {
    // A separate wrapper for each subscription, because the same function may subscribe twice.
    const entry = (value: T): void => listener(value);
    this.#listeners.add(entry);
    return toDisposable(() => this.#listeners.delete(entry));
  };

  fire(value: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        // Thrown outside this loop, so that neither the source nor the other listeners are affected.
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

/** Runs work with an AbortSignal that is aborted if the cancellation token fires during the work. */
export async function withTokenSignal<T>(
  token: CancelToken,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const subscription = token.onCancellationRequested(() => controller.abort());
  if (token.isCancellationRequested) controller.abort();
  try {
    return await work(controller.signal);
  } finally {
    subscription.dispose();
  }
}

/** Returns the reason an aborted signal rejects with: always an Error, whatever was passed to `abort`. */
export function abortReason(signal: AbortSignal): Error {
  return signal.reason instanceof Error
    ? signal.reason
    : new DOMException('This operation was canceled', 'AbortError');
}

/** Whether an error is only a cancellation. Such errors are never wrapped and never shown. */
export function isCancellation(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'Canceled');
}
