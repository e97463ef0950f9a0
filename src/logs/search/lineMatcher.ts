import { InputError } from '../../engine/errors.ts';
import type { L10n } from '../../l10n.ts';
import type { LineQuery } from './lineQuery.ts';

const WORD = '[\\p{L}\\p{N}_]';
/** A match begins, or ends, where not both neighbours are parts of words. */
const [WORD_START, WORD_END] = [`(?<!${WORD}(?=${WORD}))`, `(?!(?<=${WORD})${WORD})`];
// All of them are visible in one byte, and none has a second form outside of ASCII that case folding would find.
const PLAIN_ASCII = /^[\t -~]+$/;

/** Looks for one query in lines. */
export class LineMatcher {
  /** Finds the first match in a line as a person sees it. */
  readonly expression: RegExp;
  /**
   * Finds in many lines at once the places where one may match that is ASCII and as it is seen. Absent where the
   * query is such that lines have to be asked one by one.
   */
  readonly candidates: RegExp | undefined;
  /** Whether what `candidates` finds are matches. */
  readonly isExact: boolean;

  /** @throws SyntaxError */
  constructor(query: LineQuery) {
    const { pattern, isRegex, matchCase, wholeWord } = query;
    const source = isRegex ? pattern : literal(pattern);
    const cases = matchCase ? '' : 'i';
    this.expression = wholeWord ? words(source, cases) : expression(source, cases);
    const isPlain = !isRegex && PLAIN_ASCII.test(pattern);
    this.candidates = isPlain ? new RegExp(source, `g${cases}`) : undefined;
    this.isExact = !wholeWord;
  }

  /** @param visible a line as a person sees it. */
  matches(visible: string): boolean {
    return this.expression.test(visible);
  }
}

/** @throws InputError with a sentence, where a query is no regular expression. */
export function checkQuery(query: LineQuery | undefined, l10n: L10n): void {
  if (!query) return;
  try {
    new LineMatcher(query);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InputError(l10n.t('This is no regular expression: {0}', reason));
  }
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** The older syntax allows some expressions that the newer one does not. */
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
