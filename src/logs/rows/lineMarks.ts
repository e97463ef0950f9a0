/** One byte for each line, 0 by default. IDs may be negative. */
export class LineMarks {
  readonly #pages = new Map<number, Uint8Array>();

  get(id: number): number {
    const page = pageOf(id);
    return this.#pages.get(page)?.[id - page * PAGE_LINES] ?? 0;
  }

  /** Sets the marks of the lines starting at ID `from`. */
  set(from: number, marks: Uint8Array): void {
    let done = 0;
    while (done < marks.length) {
      const page = pageOf(from + done);
      const offset = from + done - page * PAGE_LINES;
      const part = marks.subarray(done, done + PAGE_LINES - offset);
      this.#page(page).set(part, offset);
      done += part.length;
    }
  }

  /** Whether a line in the half-open range has any of these bits set. */
  hasAny(from: number, to: number, bits: number): boolean {
    for (let at = from; at < to;) {
      const number = pageOf(at);
      const page = this.#pages.get(number);
      const base = number * PAGE_LINES;
      const end = Math.min(to, base + PAGE_LINES);
      for (let index = at - base; page && index < end - base; index++)
        if ((page[index] ?? 0) & bits) return true;
      at = end;
    }
    return false;
  }

  dropBefore(page: number): void {
    for (const known of this.#pages.keys()) if (known < page) this.#pages.delete(known);
  }

  clear(): void {
    this.#pages.clear();
  }

  #page(number: number): Uint8Array {
    const known = this.#pages.get(number);
    if (known) return known;
    const page = new Uint8Array(PAGE_LINES);
    this.#pages.set(number, page);
    return page;
  }
}

/** The number of IDs in a page. A page starts at its number times this. */
export const PAGE_LINES = 4096;

export function pageOf(id: number): number {
  return Math.floor(id / PAGE_LINES);
}
