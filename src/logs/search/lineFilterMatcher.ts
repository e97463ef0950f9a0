import { isGantryLine, originKind, originMember } from '../store/storedLine.ts';
import type { Level } from '../text/level.ts';
import { CONTINUES, HIDES, KNOWN, PASSES, type LineFilter } from './lineQuery.ts';
import { LineMatcher } from './lineMatcher.ts';
import type { PageSlice } from './pageSlice.ts';
import type { TraceReader } from './traceReader.ts';

/** Finds out of each line whether a filter lets it pass, and whether it belongs to the line before it. */
export class LineFilterMatcher {
  readonly #filter: LineFilter;
  readonly #include: LineMatcher | undefined;
  readonly #exclude: LineMatcher | undefined;
  readonly #levels: ReadonlySet<Level> | undefined;
  /** Whether lines of this member and kind may pass. */
  readonly #origins = new Map<number, boolean>();
  readonly #folds: boolean;

  /** @param folds whether it is asked which lines belong to others. */
  constructor(filter: LineFilter, folds: boolean) {
    this.#filter = filter;
    this.#include = filter.include && new LineMatcher(filter.include);
    this.#exclude = filter.exclude && new LineMatcher(filter.exclude);
    this.#levels = filter.levels && new Set(filter.levels);
    this.#folds = folds;
  }

  /** Whether the lines before have a say in what becomes of a line. */
  get needsTraces(): boolean {
    return this.#folds || this.#levels !== undefined;
  }

  /**
   * @param traces has read the lines before the piece.
   * @returns a mark for each line.
   */
  marks(piece: PageSlice, traces: TraceReader, alive: () => void): Uint8Array {
    const included = this.#include && piece.matches(this.#include, alive);
    const excluded = this.#exclude && piece.matches(this.#exclude, alive);
    const marks = new Uint8Array(piece.to - piece.from);
    for (let slot = 0; slot < marks.length; slot++) {
      const index = piece.from + slot;
      const origin = piece.page.origin(index);
      const isContinuation = this.needsTraces && this.#reads(piece, index, traces, alive);
      const hides = excluded?.[slot] === 1;
      const passes =
        included?.[slot] !== 0 && !hides && this.#isOrigin(origin) && this.#isLevel(origin, traces);
      const continues = isContinuation && this.#folds;
      marks[slot] =
        KNOWN | (passes ? PASSES : 0) | (continues ? CONTINUES : 0) | (hides ? HIDES : 0);
    }
    return marks;
  }

  /** Reads lines before a piece, for what follows. */
  warmUp(piece: PageSlice, traces: TraceReader, alive: () => void): void {
    for (let index = piece.from; index < piece.to; index++)
      this.#reads(piece, index, traces, alive);
  }

  #reads(piece: PageSlice, index: number, traces: TraceReader, alive: () => void): boolean {
    alive();
    return traces.next(piece.visible(index), piece.page.origin(index));
  }

  #isLevel(origin: number, traces: TraceReader): boolean {
    if (!this.#levels) return true;
    return this.#levels.has(isGantryLine(originKind(origin)) ? 'none' : traces.level);
  }

  #isOrigin(origin: number): boolean {
    const known = this.#origins.get(origin);
    if (known !== undefined) return known;
    const { members, kinds } = this.#filter;
    const may =
      members?.includes(originMember(origin)) !== false &&
      kinds?.includes(originKind(origin)) !== false;
    this.#origins.set(origin, may);
    return may;
  }
}
