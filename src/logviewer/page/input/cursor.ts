import type { RowCache } from '../rows/rowCache.ts';

/** The current row: the one keys go from. It is known by its id, and found again when rows move. */
export class Cursor {
  readonly #cache: RowCache;
  #index: number | undefined;
  #id: number | undefined;

  constructor(cache: RowCache) {
    this.#cache = cache;
  }

  /** Where it is; undefined where there is none or it is not known where. */
  get index(): number | undefined {
    if (this.#index !== undefined) this.#learnId();
    else if (this.#id !== undefined) this.#index = this.#cache.indexOf(this.#id);
    return this.#index;
  }

  /** Puts it on a row. */
  set(index: number, id = this.#cache.at(index)?.id): void {
    this.#index = index;
    this.#id = id;
  }

  /** Rows were put before the first, or, below zero, taken away there. */
  shift(by: number): void {
    if (this.#index === undefined) return;
    this.#index += by;
    if (this.#index < 0) this.#index = this.#id = undefined;
  }

  /** Rows have moved otherwise; it is found again when its row comes. */
  lose(): void {
    this.#learnId();
    this.#index = undefined;
  }

  #learnId(): void {
    if (this.#index !== undefined) this.#id ??= this.#cache.at(this.#index)?.id;
  }
}
