import { abortReason, type Disposable, type Event } from '../../lifetime.ts';

/** Remembers that one container, or the engine's presence, changed until somebody asks, so that no change falls between two questions. */
export class ChangeLatch implements Disposable {
  readonly #subscription: Disposable;
  #hasChanged = false;
  #wake: (() => void) | undefined;

  constructor(onDidChange: Event<ContainersChange>, id: string) {
    this.#subscription = onDidChange(({ containers, phase }) => {
      if (!containers.has(id) && !phase) return;
      this.#hasChanged = true;
      this.#wake?.();
    });
  }

  /** Resolves at the first change since the last time; rejects with the signal's reason. One waits at a time. */
  async next(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#hasChanged) await this.#wait(signal);
    this.#hasChanged = false;
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#wake = undefined;
        reject(abortReason(signal));
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#wake = () => {
        this.#wake = undefined;
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
    });
  }
}

/** What an inventory says when something changed. */
export interface ContainersChange {
  /** Ids of the containers that are not what they were. */
  readonly containers: ReadonlySet<string>;
  /** Whether the engine came or went. */
  readonly phase?: boolean;
}
