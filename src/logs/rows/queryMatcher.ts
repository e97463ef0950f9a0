import { createContext, Script, type Context } from 'node:vm';
import type { LineQuery } from '../search/lineQuery.ts';
import { LineMatcher } from '../search/lineMatcher.ts';
import { monotonicClock, type Clock } from '../../base/time.ts';
import type { TextRange } from '../text/visibleText.ts';

/**
 * Time limit in milliseconds for one row. A regular expression that exceeds it {@link MOST_MISSES} times is no
 * longer marked.
 */
const ROW_MS = 20;
const MOST_MISSES = 3;
/**
 * Milliseconds that a row may take on average, and by how many time limits of one row all rows together may exceed it:
 * a page shows up to 1,000 rows at once, each of which may take just less than the limit.
 */
const USUAL_MS = 1;
const MOST_DEBT = 10;
const MOST_RANGES = 200;

/** `text` and `expression` are set before each run. Runs in its own context, because only then can it be timed out. */
const FIND = new Script('find(text, expression)');

/**
 * Finds the matches of a query in a line, to mark them. After a regular expression has timed out several times,
 * or was slow for many rows (some backtrack excessively on some texts), the matcher finds nothing from then on.
 */
export class QueryMatcher {
  readonly #expression: RegExp | undefined;
  /** Only for the user's regular expressions: plain text is matched in linear time. */
  readonly #sandbox: Context | undefined;
  readonly #rowMs: number;
  readonly #clock: Pick<Clock, 'now'>;
  #misses = 0;
  #debtMs = 0;

  /**
   * @param query finds nothing if it is not a valid regular expression.
   * @param rowMs time limit in milliseconds for one row.
   */
  constructor(query: LineQuery, rowMs = ROW_MS, clock: Pick<Clock, 'now'> = monotonicClock) {
    this.#rowMs = rowMs;
    this.#clock = clock;
    this.#expression = everyOf(query);
    if (!query.isRegex) return;
    this.#sandbox = createContext({ text: '', expression: this.#expression, find });
  }

  /** Returns the ranges of all non-empty matches in order, at most 200. */
  ranges(plain: string): readonly TextRange[] {
    const isTooSlow = this.#misses >= MOST_MISSES || this.#debtMs > MOST_DEBT * this.#rowMs;
    if (!this.#expression || isTooSlow) return [];
    if (!this.#sandbox) return find(plain, this.#expression);
    this.#sandbox['text'] = plain;
    const startedAt = this.#clock.now();
    try {
      return FIND.runInContext(this.#sandbox, { timeout: this.#rowMs }) as readonly TextRange[];
    } catch {
      this.#misses++;
      return [];
    } finally {
      const durationMs = this.#clock.now() - startedAt;
      this.#debtMs = Math.max(0, this.#debtMs + durationMs - USUAL_MS);
    }
  }
}

function everyOf(query: LineQuery): RegExp | undefined {
  try {
    const { expression } = new LineMatcher(query);
    return new RegExp(expression, `${expression.flags}g`);
  } catch {
    // The search itself reports the error.
    return undefined;
  }
}

function find(text: string, expression: RegExp): readonly TextRange[] {
  const found: TextRange[] = [];
  for (const { 0: words, index } of text.matchAll(expression)) {
    if (words !== '') found.push({ start: index, end: index + words.length });
    if (found.length >= MOST_RANGES) break;
  }
  return found;
}

/** Returns the ranges matched by any of the queries, in order and without overlaps. */
export function matchRanges(
  matchers: readonly QueryMatcher[],
  plain: string,
): readonly TextRange[] {
  const all = matchers.flatMap((matcher) => matcher.ranges(plain));
  if (matchers.length < 2) return all;
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of all.sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}
