import type { Row } from '../../protocol.ts';

/** Maximum number of cached rows; far more than fit on a screen. */
const MOST = 3000;

/** Maximum number of rows requested at once. */
const MOST_ASKED = 500;

interface Entry {
  readonly row: Row;
  readonly epoch: number;
}

/** Rows near the view, by index. Outdated rows are shown until new rows arrive. */
export class RowCache {
  #entries = new Map<number, Entry>();
  #epoch = 0;

  /** Returns the row at an index. It may be outdated. */
  at(index: number): Row | undefined {
    return this.#entries.get(index)?.row;
  }

  /** Returns whether the row at an index is up to date. */
  isFresh(index: number): boolean {
    return this.#entries.get(index)?.epoch === this.#epoch;
  }

  indexOf(id: number): number | undefined {
    for (const [index, { row }] of this.#entries) if (row.id === id) return index;
    return undefined;
  }

  /** Returns the sorted names of the JSON fields of all cached rows. */
  fieldNames(): readonly string[] {
    const names = new Set<string>();
    for (const { row } of this.#entries.values()) {
      for (const { name } of row.json?.fields ?? []) names.add(name);
    }
    return [...names].sort();
  }

  /**
   * Stores rows. If there are too many, rows far from `near`, the row in view, are dropped.
   *
   * @returns the indexes whose rows have changed.
   */
  put(from: number, rows: readonly Row[], near: number): number[] {
    const changed: number[] = [];
    rows.forEach((row, offset) => {
      const index = from + offset;
      if (JSON.stringify(this.at(index)) !== JSON.stringify(row)) changed.push(index);
      this.#entries.set(index, { row, epoch: this.#epoch });
    });
    if (this.#entries.size <= MOST) return changed;
    for (const index of this.#entries.keys())
      if (Math.abs(index - near) > MOST / 3) this.#entries.delete(index);
    return changed;
  }

  /** Marks all rows as outdated. */
  spoil(): void {
    this.#epoch += 1;
  }

  /** Shifts by rows that were inserted before the first row or, if `by` is negative, removed there. */
  shift(by: number): void {
    const moved = [...this.#entries].map(([index, entry]) => [index + by, entry] as const);
    this.#entries = new Map(moved.filter(([index]) => index >= 0));
  }

  /** Drops rows from index `count` on. */
  cutAt(count: number): void {
    for (const index of this.#entries.keys()) if (index >= count) this.#entries.delete(index);
  }

  /** Returns the first range within [from, to) that is not up to date; undefined if all rows are. */
  missing(from: number, to: number): { readonly from: number; readonly to: number } | undefined {
    let first = from;
    while (first < to && this.isFresh(first)) first += 1;
    let end = Math.min(to, first + MOST_ASKED);
    while (end > first && this.isFresh(end - 1)) end -= 1;
    return end > first ? { from: first, to: end } : undefined;
  }
}
