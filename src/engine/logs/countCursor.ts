import type { RecordGate } from './lineJoiner.ts';

/**
 * Cursor for a log without time stamps: every reading begins at the same place, and as many lines are dropped
 * as were received from there on. Exact, at the price of reading them again.
 */
export class CountCursor implements RecordGate {
  /** Where every reading begins, `seconds[.nanoseconds]`; undefined for the start of the log. */
  since: string | undefined;
  #received = 0;
  #toDrop = 0;

  constructor(since: string | undefined) {
    this.since = since;
  }

  /** Says that the engine is about to send once more what it sent from `since` on. */
  rewind(): void {
    this.#toDrop = this.#received;
  }

  /** From now on, readings begin here; nothing after this moment was received yet. */
  moveTo(since: string): void {
    this.since = since;
    this.#received = 0;
  }

  accept(): boolean {
    if (this.#toDrop > 0) {
      this.#toDrop--;
      return false;
    }
    this.#received++;
    return true;
  }
}
