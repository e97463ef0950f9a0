import { EventLoopYielder, WorkQueue } from '../base/time.ts';
import { findSourceReferences } from '../logs/text/findSourceReferences.ts';
import type { SourceReference } from '../logs/text/sourcePath.ts';

/**
 * Finds the newest source references in a growing document; reads no line twice. Reads new lines first, then
 * older lines from the newest backwards, until there are enough references.
 */
export class SourceLinkScanner {
  readonly #document: DocumentLines;
  /** The range of the lines that have been read. */
  #from: number;
  #to: number;
  /** In reverse order, the newest first. */
  #older: SourceLink[] = [];
  #newer: SourceLink[] = [];
  readonly #readings = new WorkQueue();

  constructor(document: DocumentLines) {
    this.#document = document;
    this.#from = this.#to = Math.max(0, document.lineCount - 1);
  }

  /**
   * Returns the references in order, except those of the last line, which may be incomplete. Yields to the
   * event loop while it reads. What was found before an abort is kept for the next call.
   */
  async links(signal: AbortSignal): Promise<readonly SourceLink[]> {
    await this.#readings.add(() => this.#read(signal));
    return [...this.#older.toReversed(), ...this.#newer].slice(-MOST_LINKS);
  }

  /** Discards a changed line and all lines after it. */
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
    const references = findSourceReferences(this.#document.lineAt(line).text).slice(
      0,
      MOST_OF_LINE,
    );
    return references.map((reference) => ({ line, reference }));
  }
}

/** The lines of a document, whose number may change at any time. */
export interface DocumentLines {
  readonly lineCount: number;
  lineAt(line: number): { readonly text: string };
}

/** A source reference in a line of a document. */
export interface SourceLink {
  /** Zero-based. */
  readonly line: number;
  readonly reference: SourceReference;
}

/** Per document, because more links slow down its editor. */
const MOST_LINKS = 5000;
/** Per line, because more are noise. */
const MOST_OF_LINE = 8;
