import { EventLoopYielder } from '../time.ts';
import { findSourceReferences } from '../logs/text/findSourceReferences.ts';
import type { SourceReference } from '../logs/text/sourcePath.ts';

/**
 * The newest places that a growing document names; no line is read twice. First the lines that have come are read,
 * then the older ones from the newest on, until there are places enough.
 */
export class SourceLinkScanner {
  readonly #document: DocumentLines;
  /** The lines from the one up to the other have been read. */
  #from: number;
  #to: number;
  /** Found backwards, so the newest is first. */
  #older: SourceLink[] = [];
  #newer: SourceLink[] = [];
  #last: Promise<unknown> = Promise.resolve();

  constructor(document: DocumentLines) {
    this.#document = document;
    this.#from = this.#to = Math.max(0, document.lineCount - 1);
  }

  /**
   * The places in order, but for those of the last line, which may not be whole yet. Lets everything else have its
   * turn meanwhile. What was found before it is aborted is kept for the next time.
   */
  async links(signal: AbortSignal): Promise<readonly SourceLink[]> {
    const reading = this.#last.then(() => this.#read(signal));
    this.#last = reading.catch(() => undefined);
    await reading;
    return [...this.#older.toReversed(), ...this.#newer].slice(-MOST_LINKS);
  }

  /** Forgets a line that has changed, and all after it. */
  forget(line: number): void {
    this.#to = Math.min(this.#to, line);
    this.#from = Math.min(this.#from, line);
    this.#older = this.#older.filter((one) => one.line < line);
    this.#newer = this.#newer.filter((one) => one.line < line);
  }

  async #read(signal: AbortSignal): Promise<void> {
    const yielder = new EventLoopYielder();
    while (this.#to < this.#document.lineCount - 1 && !signal.aborted) {
      this.#newer.push(...this.#linksIn(this.#to++));
      if (this.#newer.length >= 2 * MOST_LINKS) this.#newer = this.#newer.slice(-MOST_LINKS);
      await yielder.yieldIfDue();
    }
    while (this.#from > 0 && !signal.aborted) {
      if (this.#older.length + this.#newer.length >= MOST_LINKS) break;
      this.#older.push(...this.#linksIn(--this.#from).toReversed());
      await yielder.yieldIfDue();
    }
  }

  #linksIn(line: number): SourceLink[] {
    const places = findSourceReferences(this.#document.lineAt(line).text).slice(0, MOST_OF_LINE);
    return places.map((place) => ({ line, place }));
  }
}

/** The lines of a document, which may become more or fewer at any time. */
export interface DocumentLines {
  readonly lineCount: number;
  lineAt(line: number): { readonly text: string };
}

/** A place in a source that a line of a document names. */
export interface SourceLink {
  /** From 0 on. */
  readonly line: number;
  readonly place: SourceReference;
}

/** Of a document: more links slow its editor down. */
const MOST_LINKS = 5000;
/** Of one line; more are noise. */
const MOST_OF_LINE = 8;
