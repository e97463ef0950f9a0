/**
 * The rows below one parent. Coming and going costs the same however many there are; the order is made when
 * it is asked for, and costs little where most of them kept their place.
 */
export class SortedSet<N> {
  readonly #compare: (a: N, b: N) => number;
  #members = new Set<N>();
  #ordered: readonly N[] = [];
  #isStale = false;

  constructor(compare: (a: N, b: N) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#members.size;
  }

  /** In order. The same array as long as nothing changed. */
  get ordered(): readonly N[] {
    if (this.#isStale) {
      this.#ordered = [...this.#members].sort(this.#compare);
      // A set keeps the order in which it was filled: the next sort finds nearly all in place.
      this.#members = new Set(this.#ordered);
      this.#isStale = false;
    }
    return this.#ordered;
  }

  /** In no order in particular. */
  get members(): ReadonlySet<N> {
    return this.#members;
  }

  add(member: N): void {
    this.#members.add(member);
    this.#isStale = true;
  }

  delete(member: N): void {
    this.#members.delete(member);
    this.#isStale = true;
  }

  /** Says that a member may have to change place. */
  touch(): void {
    this.#isStale = true;
  }
}

/** Compares names as people do: `web-2` before `web-10`, small and capital letters alike. */
export type NaturalOrder = (a: string, b: string) => number;

/** A natural order that is total: names that only look alike still have a fixed place. */
export function naturalOrder(): NaturalOrder {
  const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
  return (a, b) => collator.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);
}
