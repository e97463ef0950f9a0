import * as l10n from '@vscode/l10n';
import { InputError } from '../../engine/errors.ts';
import type { LineQuery } from './lineQuery.ts';

const WORD = '[\\p{L}\\p{N}_]';
// A match starts or ends where at most one of the two adjacent characters is part of a word.
const WORD_START = `(?<!${WORD}(?=${WORD}))`;
const WORD_END = `(?!(?<=${WORD})${WORD})`;
// One visible byte each, and no case variants outside ASCII that case folding would find.
const PLAIN_ASCII = /^[\t -~]+$/;

export class LineMatcher {
  /** Finds the first match in a line without escape sequences. */
  readonly expression: RegExp;
  /**
   * Finds candidate matches in many lines at once, among lines of printable ASCII. Undefined if the query
   * requires matching line by line.
   */
  readonly candidates: RegExp | undefined;
  /** Whether the results of `candidates` are always matches. */
  readonly isExact: boolean;

  /** @throws SyntaxError if the pattern is invalid. */
  constructor(query: LineQuery) {
    const { pattern, isRegex, matchCase, wholeWord } = query;
    const source = isRegex ? pattern : literal(pattern);
    const cases = matchCase ? '' : 'i';
    this.expression = wholeWord ? words(source, cases) : expression(source, cases);
    const isPlain = !isRegex && PLAIN_ASCII.test(pattern);
    this.candidates = isPlain ? new RegExp(source, `g${cases}`) : undefined;
    this.isExact = !wholeWord;
  }

  /** @param visible a line without escape sequences. */
  matches(visible: string): boolean {
    return this.expression.test(visible);
  }
}

/** @throws InputError with a message if the pattern of a query is invalid. */
export function checkQuery(query: LineQuery | undefined): void {
  const reason = queryProblem(query);
  if (reason !== undefined) throw new InputError(l10n.t('Invalid regular expression: {0}', reason));
}

/** Returns why the pattern of a query is invalid, in the words of JavaScript: "Unterminated group". */
export function queryProblem(query: LineQuery | undefined): string | undefined {
  if (!query) return undefined;
  try {
    new LineMatcher(query);
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // The message also repeats the pattern, which is in the input.
    return reason.slice(reason.lastIndexOf(': ') + 1).trim();
  }
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** Falls back to the older syntax without the `u` flag, which allows some patterns that the newer one rejects. */
function expression(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, `u${flags}`);
  } catch {
    return new RegExp(source, flags);
  }
}

function words(source: string, flags: string): RegExp {
  return new RegExp(`${WORD_START}(?:${source})${WORD_END}`, `u${flags}`);
}
