import type { RowFeed } from './rowFeed.ts';

/** Milliseconds without a change after which scrolling counts as over. */
const REST_MS = 100;

/** Tells the extension what is in view and which row's place is to be kept, once scrolling has come to rest. */
export class Anchor {
  readonly #feed: RowFeed;
  #timer = 0;

  constructor(feed: RowFeed) {
    this.#feed = feed;
  }

  /** The row stands at the top of the view now. */
  note(row: number): void {
    clearTimeout(this.#timer);
    if (this.#feed.isNamed(row)) return;
    this.#timer = setTimeout(() => {
      this.#feed.name(row);
    }, REST_MS);
  }
}
