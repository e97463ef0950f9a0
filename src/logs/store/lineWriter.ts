import type { Page } from './page.ts';
import type { StampPacker } from './stampPacker.ts';

/** Packs lines into pages. */
export class LineWriter {
  readonly #stamps: StampPacker;
  readonly #packed = {
    seconds: new Uint32Array(SLICE),
    nanoseconds: new Uint32Array(SLICE),
    forms: new Uint8Array(SLICE),
  };

  constructor(stamps: StampPacker) {
    this.#stamps = stamps;
  }

  /** @param originOf member and kind of a line, as `Page` has them. */
  write<Line extends StampedText>(
    lines: readonly Line[],
    originOf: (line: Line) => number,
    pages: PageSource,
  ): void {
    for (let from = 0; from < lines.length; from += SLICE) {
      const to = Math.min(from + SLICE, lines.length);
      if (this.#stamps.pack(lines, from, to, this.#packed))
        this.#writeSlice(lines, from, to, originOf, pages);
      else this.#writeOdd(lines.slice(from, to), originOf, pages);
    }
  }

  /** What is no stamp stays readable in front of the text. */
  #writeOdd<Line extends StampedText>(
    lines: readonly Line[],
    originOf: (line: Line) => number,
    pages: PageSource,
  ): void {
    const readable = lines.map((line) =>
      this.#stamps.isStamp(line.timestamp)
        ? line
        : { ...line, timestamp: '', text: `${line.timestamp} ${line.text}` },
    );
    this.#stamps.pack(readable, 0, readable.length, this.#packed);
    this.#writeSlice(readable, 0, readable.length, originOf, pages);
  }

  #writeSlice<Line extends StampedText>(
    lines: readonly Line[],
    from: number,
    to: number,
    originOf: (line: Line) => number,
    pages: PageSource,
  ): void {
    const { seconds, nanoseconds, forms } = this.#packed;
    let [index, page] = [from, pages.current()];
    while (index < to) {
      const first = page?.count ?? 0;
      const added = page?.addTexts(lines, index, to) ?? 0;
      for (let done = 0; page && done < added; done++, index++) {
        const line = lines[index];
        if (!line) return;
        const slot = index - from;
        page.setRecord(
          first + done,
          originOf(line),
          seconds[slot] ?? 0,
          nanoseconds[slot] ?? 0,
          forms[slot] ?? 0,
        );
      }
      if (index < to) page = pages.open(Buffer.byteLength(lines[index]?.text ?? ''));
    }
  }
}

/** What all kinds of new lines have. */
export interface StampedText {
  readonly timestamp: string;
  readonly text: string;
}

/** Where lines are put. */
export interface PageSource {
  /** The page to go on with, if there is one. */
  current(): Page | undefined;
  /** A new page in which a line of so many bytes finds room. */
  open(textBytes: number): Page;
}

/** So many lines are packed at a time. */
const SLICE = 1024;
