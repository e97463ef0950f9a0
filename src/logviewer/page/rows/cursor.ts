import type { RowCache } from './rowCache.ts';

/** The current row, where keyboard commands start. It is identified by its ID and found again when rows move. */
export class Cursor {
  readonly #cache: RowCache;
  #index: number | undefined;
  #id: number | undefined;

  constructor(cache: RowCache) {
    this.#cache = cache;
  }

  /** Index of the current row; undefined if there is none or its index is unknown. */
  get index(): number | undefined {
    if (this.#index !== undefined) this.#learnId();
    else if (this.#id !== undefined) this.#index = this.#cache.indexOf(this.#id);
    return this.#index;
  }

  /** Makes a row the current row. */
  set(index: number, id = this.#cache.at(index)?.id): void {
    this.#index = index;
    this.#id = id;
  }

  /** Shifts by rows that were inserted before the first row or, if `by` is negative, removed there. */
  shift(by: number): void {
    if (this.#index === undefined) return;
    this.#index += by;
    if (this.#index < 0) this.#index = this.#id = undefined;
  }

  /** Forgets the index because rows moved in another way. It is found again when the row arrives. */
  lose(): void {
    this.#learnId();
    this.#index = undefined;
  }

  #learnId(): void {
    if (this.#index !== undefined) this.#id ??= this.#cache.at(this.#index)?.id;
  }
}
