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

  write<Line extends StampedText>(lines: readonly Line[], target: LineTarget<Line>): void {
    for (let from = 0; from < lines.length; from += SLICE) {
      const to = Math.min(from + SLICE, lines.length);
      if (this.#stamps.pack(lines, from, to, this.#packed))
        this.#writeSlice(lines, from, to, target);
      else this.#writeOdd(lines.slice(from, to), target);
    }
  }

  /** Keeps an invalid timestamp readable by putting it before the text. */
  #writeOdd<Line extends StampedText>(lines: readonly Line[], target: LineTarget<Line>): void {
    const readable = lines.map((line) =>
      this.#stamps.isStamp(line.timestamp)
        ? line
        : { ...line, timestamp: '', text: `${line.timestamp} ${line.text}` },
    );
    this.#stamps.pack(readable, 0, readable.length, this.#packed);
    this.#writeSlice(readable, 0, readable.length, target);
  }

  #writeSlice<Line extends StampedText>(
    lines: readonly Line[],
    from: number,
    to: number,
    target: LineTarget<Line>,
  ): void {
    const { originOf } = target;
    const { seconds, nanoseconds, forms } = this.#packed;
    let index = from;
    let page = target.current();
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
      if (index < to) page = target.open(Buffer.byteLength(lines[index]?.text ?? ''));
    }
  }
}

/** The common fields of new lines. */
export interface StampedText {
  readonly timestamp: string;
  readonly text: string;
}

/** Provides the pages that lines are written to. */
export interface PageSource {
  /** Returns the page to continue, if any. */
  current(): Page | undefined;
  /** Opens a new page that fits a line of so many bytes. */
  open(textBytes: number): Page;
}

/** The pages for the lines, and the origin of each line. */
interface LineTarget<Line extends StampedText> extends PageSource {
  /** Returns the member and kind of a line, encoded like in `Page`. */
  readonly originOf: (line: Line) => number;
}

/** The number of lines packed at a time. */
const SLICE = 1024;
