import { createContext, Script, type Context } from 'node:vm';
import type { LineQuery } from '../../logs/search/lineQuery.ts';
import { LineMatcher } from '../../logs/search/lineMatcher.ts';
import type { TextRange } from '../../logs/text/visibleText.ts';

/** So many milliseconds may one row take; an expression that takes longer again and again is not marked any more. */
const ROW_MS = 20;
const MOST_MISSES = 3;
const MOST_RANGES = 200;

/** Both are filled in before it runs. In a context of its own, for only so can it be ended from outside. */
const FIND = new Script('find(text, expression)');

/**
 * Finds where words stand in a line, to mark them. An expression that does not come to its end, as some do on some
 * texts, finds nothing from then on.
 */
export class QueryMatcher {
  readonly #expression: RegExp | undefined;
  /** Only for expressions of the person's own: plain words take no longer than their text is long. */
  readonly #sandbox: Context | undefined;
  readonly #rowMs: number;
  #misses = 0;

  /**
   * @param query nothing is found where it is no expression.
   * @param rowMs milliseconds that one row may take.
   */
  constructor(query: LineQuery, rowMs = ROW_MS) {
    this.#rowMs = rowMs;
    this.#expression = everyOf(query);
    if (!query.isRegex) return;
    this.#sandbox = createContext({ text: '', expression: this.#expression, find });
  }

  /** The places of all matches that are not empty, in order; at most 200. */
  ranges(plain: string): readonly TextRange[] {
    if (!this.#expression || this.#misses >= MOST_MISSES) return [];
    if (!this.#sandbox) return find(plain, this.#expression);
    this.#sandbox['text'] = plain;
    try {
      return FIND.runInContext(this.#sandbox, { timeout: this.#rowMs }) as readonly TextRange[];
    } catch {
      this.#misses++;
      return [];
    }
  }
}

function everyOf(query: LineQuery): RegExp | undefined {
  try {
    const { expression } = new LineMatcher(query);
    return new RegExp(expression, `${expression.flags}g`);
  } catch {
    // It is said where the search is started.
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

/** The places that any of several queries finds, in order and without overlaps. */
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
