import { InputError } from '../errors.ts';
import { sentence } from '../../base/sentence.ts';

/** Splits a text into words like a POSIX shell. @throws InputError for an unclosed quote or a trailing backslash. */
export function parseCommandLine(text: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const [, blank, single, double, escaped, plain, open] of text.matchAll(PIECE)) {
    if (open !== undefined) throw unclosed(open);
    if (blank !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + (single ?? unescapeQuoted(double) ?? escaped ?? plain ?? '');
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}

/**
 * One piece of a word: blanks, `'…'`, `"…"` with escapes inside, an escaped character, plain characters, or a
 * quote or backslash that is never closed.
 */
const PIECE = /(\s+)|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\]+)|(["'\\])/g;

/** Joins words to a line that `parseCommandLine` splits into the same words. */
export function formatCommandLine(words: readonly string[]): string {
  return words.map(quoteWord).join(' ');
}

function unclosed(mark: string): InputError {
  return new InputError(
    mark === '\\'
      ? sentence('The backslash at the end escapes nothing.')
      : sentence('Missing closing quotation mark: {0}', mark),
  );
}

/** Inside double quotes, a backslash escapes only a double quote or another backslash. */
function unescapeQuoted(text: string | undefined): string | undefined {
  return text?.replace(/\\(["\\])/g, '$1');
}

function quoteWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
