import type { ExitStory } from '../commands/details/exitStory.ts';

/**
 * How containers ended that pages have shown, for the life of the window: neither the log nor the health checks of one
 * that was removed since can be read again.
 */
export class KeptExits {
  /** By engine and container, the last shown last. */
  readonly #exits = new Map<string, ShownExit>();

  /** Returns what was kept of a container. @param key names its engine and the container. */
  find(key: string): ShownExit | undefined {
    return this.#exits.get(key);
  }

  keep(key: string, exit: ShownExit): void {
    this.#exits.delete(key);
    this.#exits.set(key, exit);
    const [oldest] = this.#exits.keys();
    if (this.#exits.size > MOST_KEPT && oldest !== undefined) this.#exits.delete(oldest);
  }
}

/** How a container ended, as a page shows it. */
export interface ShownExit {
  readonly story: ExitStory;
  /** The end of its log; undefined if it is not known. */
  readonly lastLines: readonly string[] | undefined;
  /** The container, if it still exists: its log can be shown. */
  readonly owner: LogOwner | undefined;
}

interface LogOwner {
  readonly id: string;
  readonly name: string;
  /** When it ended, by the clock of the engine as in its log: RFC 3339, empty if the engine does not say. */
  readonly finishedAt: string;
}

const MOST_KEPT = 50;
