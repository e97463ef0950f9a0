/** Ids of lines, rising, each once; grown at both ends. */
export class Hits {
  #ids: number[] = [];

  get ids(): readonly number[] {
    return this.#ids;
  }

  /** @param ids rising. */
  add(ids: readonly number[]): void {
    const [first, last] = [ids[0], ids.at(-1)];
    if (first === undefined || last === undefined) return;
    if (first > (this.#ids.at(-1) ?? -Infinity)) this.#ids = this.#ids.concat(ids);
    else if (last < (this.#ids[0] ?? Infinity)) this.#ids = ids.concat(this.#ids);
    else this.#ids = [...new Set([...this.#ids, ...ids])].sort((a, b) => a - b);
  }

  clear(): void {
    this.#ids = [];
  }

  /** Index of the first that is not before `id`; their count where all are. */
  indexOf(id: number): number {
    let [low, high] = [0, this.#ids.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ids[middle] ?? 0) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
