/** A list whose first item is taken in constant time: `Array.shift` moves all others. */
export class Fifo<T> {
  /** Items; those before the start were removed. */
  #items: (T | undefined)[] = [];
  #start = 0;

  get length(): number {
    return this.#items.length - this.#start;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** Returns the item at a position from the oldest, 0. */
  at(position: number): T | undefined {
    return this.#items[this.#start + position];
  }

  /** Removes the oldest item and returns it. */
  shift(): T | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#start];
    this.#items[this.#start++] = undefined;
    // So each item is moved once at most, on average.
    if (this.#start * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#start);
      this.#start = 0;
    }
    return item;
  }

  clear(): void {
    this.#items = [];
    this.#start = 0;
  }

  /** All items, oldest first. */
  get items(): readonly T[] {
    return this.#items.slice(this.#start) as T[];
  }
}
