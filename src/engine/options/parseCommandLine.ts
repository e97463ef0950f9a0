/**
 * A command as a person types it, to words and back. No shell runs it: `$X`, `|`, `*` and the like are plain
 * characters, and only quotes and backslashes part or join words.
 */

import type { L10n } from '../../l10n.ts';
import { parsed, refused, type ParseResult } from '../parseResult.ts';

/** Reads words the way a POSIX shell parts them; a quote or backslash that does not end is a problem. */
export function parseCommandLine(text: string): ParseResult<readonly string[], CommandLineProblem> {
  const words: string[] = [];
  let word: string | undefined;
  for (const [, blank, single, double, escaped, plain, open] of text.matchAll(PIECE)) {
    if (open !== undefined) return refused(unclosed(open));
    if (blank !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + (single ?? unescapeQuoted(double) ?? escaped ?? plain ?? '');
    }
  }
  if (word !== undefined) words.push(word);
  return parsed(words);
}

/** What is wrong with a command line. */
export type CommandLineProblem =
  { readonly kind: 'openQuote'; readonly quote: '"' | "'" } | { readonly kind: 'openBackslash' };

/**
 * One piece of a word: blanks, `'…'`, `"…"` with backslashes inside, a backslash with what it protects, plain
 * characters, or the one character that opens something that never closes.
 */
const PIECE = /(\s+)|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\]+)|(["'\\])/g;

/** Words as one line that `parseCommandLine` reads back the same. */
export function formatCommandLine(words: readonly string[]): string {
  return words.map(quoteWord).join(' ');
}

/** One sentence for a problem. */
export function describeCommandLineProblem(problem: CommandLineProblem, l10n: L10n): string {
  return problem.kind === 'openQuote'
    ? l10n.t('The quotation mark {0} is opened but not closed.', problem.quote)
    : l10n.t('The backslash at the end has nothing to stand before.');
}

function unclosed(mark: string): CommandLineProblem {
  if (mark === '"' || mark === "'") return { kind: 'openQuote', quote: mark };
  return { kind: 'openBackslash' };
}

/** Inside double quotes a backslash is itself, except before a quotation mark or another backslash. */
function unescapeQuoted(text: string | undefined): string | undefined {
  return text?.replace(/\\(["\\])/g, '$1');
}

function quoteWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
