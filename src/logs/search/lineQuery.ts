import type { LineKind } from '../store/storedLine.ts';
import type { Level } from '../text/level.ts';

/** What to look for in one line, as a person sees it: without escape sequences. */
export interface LineQuery {
  readonly pattern: string;
  readonly isRegex: boolean;
  readonly matchCase: boolean;
  readonly wholeWord: boolean;
}

/** Which lines are shown. What is absent keeps nothing back. */
export interface LineFilter {
  readonly include?: LineQuery;
  readonly exclude?: LineQuery;
  readonly levels?: readonly Level[];
  readonly kinds?: readonly LineKind[];
  readonly members?: readonly number[];
  /** So many lines before and after each that passes are shown, too; at most 1000. */
  readonly context?: number;
}

/** A half-open range of ids. */
export interface IdRange {
  readonly from: number;
  readonly to: number;
}

/** What a standing search reports. */
export interface FindReport {
  /** Of the lines found since the last report, rising. None once {@link MOST_HITS} were reported. */
  readonly ids: readonly number[];
  /** All lines found by now, also those whose ids are not told. Dropped lines stay counted. */
  readonly count: number;
  /** Whether all lines there were at this moment have been searched. */
  readonly isDone: boolean;
  /** What has been searched: from the newest line backwards. */
  readonly searched: IdRange;
  /** Whether everything reported before is void: the store was cleared, or the search began anew. */
  readonly isFresh: boolean;
}

/** What is known of each line of a range. */
export interface MarkReport {
  readonly from: number;
  /** One byte a line: {@link KNOWN}, {@link PASSES}, {@link CONTINUES}, {@link HIDES}. */
  readonly marks: Uint8Array;
  readonly isDone: boolean;
  readonly isFresh: boolean;
}

/** So many hits are told by their ids. */
export const MOST_HITS = 100_000;

/**
 * Bits of a mark: the line has been looked at; the filter lets it pass; it belongs to the line before it; it says what
 * hides a line, and all that belongs together with it.
 */
export const [KNOWN, PASSES, CONTINUES, HIDES] = [1, 2, 4, 8];
