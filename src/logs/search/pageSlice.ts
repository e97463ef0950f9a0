import type { Page } from '../store/page.ts';
import { visibleText } from '../text/visibleText.ts';
import type { LineMatcher } from './lineMatcher.ts';

/** Some lines of a page, as texts. */
export class PageSlice {
  readonly page: Page;
  readonly from: number;
  readonly to: number;
  /** All texts, in which positions are those of the bytes. */
  readonly #bytes: string;
  readonly #offset: number;
  readonly #special: Uint8Array;

  /** @param from index of the first line. @param to index behind the last. */
  constructor(page: Page, from: number, to: number) {
    this.page = page;
    this.from = from;
    this.to = to;
    this.#offset = page.start(from);
    this.#bytes = to > from ? page.bytes.toString('latin1', this.#offset, page.end(to - 1)) : '';
    this.#special = this.#findSpecial();
  }

  /** A line as a person sees it. */
  visible(index: number): string {
    if (this.#special[index - this.from] === 1) return visibleText(this.page.text(index));
    return this.#bytes.substring(
      this.page.start(index) - this.#offset,
      this.page.end(index) - this.#offset,
    );
  }

  /**
   * Which lines match, one byte for each.
   *
   * @param alive is called again and again while there is progress.
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

  /** Finds the matches among the lines that are not special, in all of them at once. */
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
      // Memory that was used again meanwhile makes no sense; it must not hold us, either.
      if (next <= found.index) return;
      candidates.lastIndex = next;
    }
  }

  #findSpecial(): Uint8Array {
    const special = new Uint8Array(this.to - this.from);
    // What keeps a line from being, byte by byte, what a person sees.
    const unusual = /[^\t\n -~]/g;
    for (let found = unusual.exec(this.#bytes); found; found = unusual.exec(this.#bytes)) {
      const index = this.page.lineAt(found.index + this.#offset);
      special[index - this.from] = 1;
      unusual.lastIndex = Math.max(unusual.lastIndex, this.page.end(index) - this.#offset);
    }
    return special;
  }
}
