import type { Row } from '../../protocol.ts';

/** Rows kept at most; far more than any screen shows. */
const MOST = 3000;

/** How many rows are asked for at once at most. */
const MOST_ASKED = 500;

interface Entry {
  readonly row: Row;
  readonly epoch: number;
}

/** The rows near the view, by their place. Those of before a change are shown until the new ones have come. */
export class RowCache {
  #entries = new Map<number, Entry>();
  #epoch = 0;

  /** The row at that place, maybe from before the last change. */
  at(index: number): Row | undefined {
    return this.#entries.get(index)?.row;
  }

  /** Whether the row at that place is there as it is now. */
  isFresh(index: number): boolean {
    return this.#entries.get(index)?.epoch === this.#epoch;
  }

  /** Where the row of that id is; undefined where it is not known. */
  indexOf(id: number): number | undefined {
    for (const [index, { row }] of this.#entries) if (row.id === id) return index;
    return undefined;
  }

  /** Names of the JSON fields of the rows that are there. */
  fieldNames(): readonly string[] {
    const names = new Set<string>();
    for (const { row } of this.#entries.values()) {
      for (const { name } of row.json?.fields ?? []) names.add(name);
    }
    return [...names].sort();
  }

  /**
   * Takes rows that came. `near` is the place that is looked at: what is far from it goes where there is too much.
   *
   * @returns the places where another row is now than was
   */
  put(from: number, rows: readonly Row[], near: number): number[] {
    const changed: number[] = [];
    rows.forEach((row, offset) => {
      const index = from + offset;
      if (!isSame(this.at(index), row)) changed.push(index);
      this.#entries.set(index, { row, epoch: this.#epoch });
    });
    if (this.#entries.size > MOST) this.#trim(near);
    return changed;
  }

  /** All rows are to be fetched anew. */
  spoil(): void {
    this.#epoch += 1;
  }

  /** Rows were put before the first, or, below zero, taken away there. */
  shift(by: number): void {
    const moved = [...this.#entries].map(([index, entry]) => [index + by, entry] as const);
    this.#entries = new Map(moved.filter(([index]) => index >= 0));
  }

  /** Forgets rows that are no more. */
  cutAt(count: number): void {
    for (const index of this.#entries.keys()) if (index >= count) this.#entries.delete(index);
  }

  /** The first stretch within [from, to) that is not there; undefined where all is. */
  missing(from: number, to: number): { readonly from: number; readonly to: number } | undefined {
    let first = from;
    while (first < to && this.isFresh(first)) first += 1;
    let end = Math.min(to, first + MOST_ASKED);
    while (end > first && this.isFresh(end - 1)) end -= 1;
    return end > first ? { from: first, to: end } : undefined;
  }

  #trim(near: number): void {
    for (const index of this.#entries.keys()) {
      if (Math.abs(index - near) > MOST / 3) this.#entries.delete(index);
    }
  }
}

/** Whether two rows look the same and are the same line. */
function isSame(before: Row | undefined, after: Row): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}
