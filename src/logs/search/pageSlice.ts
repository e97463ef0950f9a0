import type { Page } from '../store/page.ts';
import { visibleText } from '../text/visibleText.ts';
import type { LineMatcher } from './lineMatcher.ts';

/** Some lines of a page, as strings. */
export class PageSlice {
  readonly page: Page;
  readonly from: number;
  readonly to: number;
  /** All lines as one string, in which character positions are byte positions. */
  readonly #bytes: string;
  readonly #offset: number;
  readonly #special: Uint8Array;

  /** @param from index of the first line. @param to index after the last line. */
  constructor(page: Page, from: number, to: number) {
    this.page = page;
    this.from = from;
    this.to = to;
    this.#offset = page.start(from);
    this.#bytes = to > from ? page.bytes.toString('latin1', this.#offset, page.end(to - 1)) : '';
    this.#special = this.#findSpecial();
  }

  /** Returns a line without escape sequences. */
  visible(index: number): string {
    if (this.#special[index - this.from] === 1) return visibleText(this.page.text(index));
    return this.#bytes.substring(
      this.page.start(index) - this.#offset,
      this.page.end(index) - this.#offset,
    );
  }

  /**
   * Returns which lines match, one byte for each.
   *
   * @param alive called repeatedly to report progress.
   */
  matches(matcher: LineMatcher, alive: () => void): Uint8Array {
    const hits = new Uint8Array(this.to - this.from);
    if (matcher.candidates) this.#matchMany(matcher, matcher.candidates, hits, alive);
    for (let index = this.from; index < this.to; index++) {
      if (matcher.candidates && this.#special[index - this.from] !== 1) continue;
      alive();
      if (matcher.matches(this.visible(index))) hits[index - this.from] = 1;
    }
    return hits;
  }

  /** Finds the matches among the plain lines, in one pass over all of them. */
  #matchMany(matcher: LineMatcher, candidates: RegExp, hits: Uint8Array, alive: () => void): void {
    candidates.lastIndex = 0;
    for (;;) {
      const found = candidates.exec(this.#bytes);
      if (!found) return;
      const index = this.page.lineAt(found.index + this.#offset);
      const slot = index - this.from;
      if (this.#special[slot] === 0 && (matcher.isExact || matcher.matches(this.visible(index))))
        hits[slot] = 1;
      alive();
      const next = this.page.end(index) - this.#offset;
      // If the memory was reused during the search, the positions are invalid. Do not loop forever then.
      if (next <= found.index) return;
      candidates.lastIndex = next;
    }
  }

  #findSpecial(): Uint8Array {
    const special = new Uint8Array(this.to - this.from);
    // Characters that make the visible text differ from the bytes of the line.
    const unusual = /[^\t\n -~]/g;
    for (let found = unusual.exec(this.#bytes); found; found = unusual.exec(this.#bytes)) {
      const index = this.page.lineAt(found.index + this.#offset);
      special[index - this.from] = 1;
      unusual.lastIndex = Math.max(unusual.lastIndex, this.page.end(index) - this.#offset);
    }
    return special;
  }
}
