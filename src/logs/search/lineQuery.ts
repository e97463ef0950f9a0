import type { LineKind } from '../store/storedLine.ts';
import type { Level } from '../text/level.ts';

/** Query in a line without its escape sequences. */
export interface LineQuery {
  readonly pattern: string;
  readonly isRegex: boolean;
  readonly matchCase: boolean;
  readonly wholeWord: boolean;
}

/** Which lines are shown. An absent property does not restrict them. */
export interface LineFilter {
  readonly include?: LineQuery;
  readonly exclude?: LineQuery;
  readonly levels?: readonly Level[];
  readonly kinds?: readonly LineKind[];
  readonly members?: readonly number[];
  /** The number of lines to show before and after each line that passes; at most 1000. */
  readonly context?: number;
}

/** A half-open range of IDs. */
export interface IdRange {
  readonly from: number;
  readonly to: number;
}

export interface FindReport {
  /** The lines found since the last report, ascending. Empty once {@link MOST_HITS} were reported. */
  readonly ids: readonly number[];
  /** The number of lines found so far, including those without reported IDs. Dropped lines stay counted. */
  readonly count: number;
  /** Whether all lines that existed at this time have been searched. */
  readonly isDone: boolean;
  /** The searched range, which grows from the newest line backwards. */
  readonly searched: IdRange;
  /** Whether all previous reports are void, because the store was cleared or the search restarted. */
  readonly isFresh: boolean;
}

/** The marks of a range of lines. */
export interface MarkReport {
  readonly from: number;
  /** One byte per line: {@link KNOWN}, {@link PASSES}, {@link CONTINUES}, {@link HIDES}. */
  readonly marks: Uint8Array;
  readonly isDone: boolean;
  readonly isFresh: boolean;
}

/** Limit of the matches that are reported by ID. */
export const MOST_HITS = 100_000;

// The bits of a mark.
/** The line has been checked. */
export const KNOWN = 1;
/** The line passes the filter. */
export const PASSES = 2;
/** The line continues the line before it. */
export const CONTINUES = 4;
/** The line matches the exclude query, which hides the line and its whole group. */
export const HIDES = 8;
