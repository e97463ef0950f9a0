/**
 * The rows below one parent. Adding and deleting takes constant time. The order is computed on demand, which is
 * fast if most rows have kept their position.
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

  /** The members in order. The same array as long as nothing changes. */
  get ordered(): readonly N[] {
    if (this.#isStale) {
      this.#ordered = [...this.#members].sort(this.#compare);
      // A set keeps its insertion order, so the next sort finds most members in place.
      this.#members = new Set(this.#ordered);
      this.#isStale = false;
    }
    return this.#ordered;
  }

  /** The members in no particular order. */
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

  clear(): void {
    this.#members.clear();
    this.#isStale = true;
  }

  /** Marks that a member may have changed its position. */
  touch(): void {
    this.#isStale = true;
  }
}

const COLLATOR = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/**
 * Compares names in natural order, ignoring case: `web-2` before `web-10`. Names that differ only in case still
 * have a fixed order.
 */
export function naturalOrder(a: string, b: string): number {
  return COLLATOR.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);
}

/** Compares by when things were created. */
export function newestFirst(
  a: { readonly createdAt: string },
  b: { readonly createdAt: string },
): number {
  return momentOf(b) - momentOf(a);
}

function momentOf({ createdAt }: { readonly createdAt: string }): number {
  return Date.parse(createdAt) || 0;
}

/** Tie-breaker for rows that are otherwise equal. IDs are unique. */
export function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1;
}
