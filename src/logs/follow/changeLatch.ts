import { withSignal } from '../../engine/http/withTimeLimit.ts';
import type { Disposable, Event } from '../../base/lifetime.ts';

/**
 * Remembers a change of one container or of the engine's presence until the next call of {@link
 * ChangeLatch.next}, so that no change between two calls is missed.
 */
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

  /**
   * Resolves at the first change since the last call; rejects with the abort reason. Only one caller may wait
   * at a time.
   */
  async next(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const change = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    if (!this.#hasChanged) await withSignal(change, signal);
    this.#hasChanged = false;
  }

  dispose(): void {
    this.#subscription.dispose();
  }
}

/** A change event of an inventory. */
export interface ContainersChange {
  /** The IDs of the containers that changed. */
  readonly containers: ReadonlySet<string>;
  /** Whether the connection to the engine came or went. */
  readonly phase?: boolean;
}
