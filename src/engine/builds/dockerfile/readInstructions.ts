/** The instructions of a Dockerfile as lines: continuations, comments, here-documents and directives. */

import type { LineRange } from '../model.ts';

/**
 * Reads the instructions of a Dockerfile in the order of their lines, in linear time. What is invalid is read as well
 * as possible: the builder reports it.
 */
export function readInstructions(text: string): {
  readonly directives: Directives;
  readonly instructions: readonly Instruction[];
} {
  const known = text.slice(0, MOST_TEXT).replace(/^\uFEFF/, '');
  const lines = known.split('\n');
  const directives = readDirectives(lines);
  return { directives, instructions: new Lines(lines, directives.escape).instructions() };
}

/** One instruction as it is written. */
export interface Instruction {
  /** In capitals: `RUN`. */
  readonly keyword: string;
  /** Rest, without continuations, comments and the contents of here-documents. */
  readonly rest: string;
  /** With the contents of here-documents. */
  readonly lines: LineRange;
}

/** The directives in the first comments of a Dockerfile. */
export interface Directives {
  readonly escape: '\\' | '`';
  /** The image of the front end, and its line. */
  readonly syntax?: { readonly image: string; readonly line: number };
}

/** The most characters of a Dockerfile that are read, and the most instructions. */
const MOST_TEXT = 2 * 1024 * 1024;
const MOST_INSTRUCTIONS = 20_000;
/** The most here-documents of an instruction. */
const MOST_HEREDOCS = 1000;

/** Splits text at white space that is not in quotation marks, which stay. */
export function splitWords(text: string, escape: string): readonly string[] {
  const words: string[] = [];
  let from = -1;
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const one = text.charAt(at);
    if (quote === '' && SPACES.includes(one)) {
      if (from >= 0) words.push(text.slice(from, at));
      from = -1;
      continue;
    }
    if (from < 0) from = at;
    if (one === escape && quote !== "'") at++;
    else if (one === quote) quote = '';
    else if (quote === '' && (one === '"' || one === "'")) quote = one;
  }
  if (from >= 0) words.push(text.slice(from));
  return words;
}

/** Splits what follows a keyword: the flags come first. */
export function splitFlags(
  rest: string,
  escape: string,
): { readonly flags: readonly string[]; readonly words: readonly string[] } {
  const all = splitWords(rest, escape);
  const first = all.findIndex((word) => !word.startsWith('--'));
  const end = first < 0 ? all.length : first;
  return { flags: all.slice(0, end), words: all.slice(end) };
}

/** Returns a word without its quotation marks and escapes. */
export function withoutQuotes(word: string, escape: string): string {
  let plain = '';
  let quote = '';
  for (let at = 0; at < word.length; at++) {
    const one = word.charAt(at);
    if (one === escape && quote !== "'" && at + 1 < word.length) plain += word.charAt(++at);
    else if (one === quote) quote = '';
    else if (quote === '' && (one === '"' || one === "'")) quote = one;
    else plain += one;
  }
  return plain;
}

const SPACES = ' \t\r\v\f';

function readDirectives(lines: readonly string[]): Directives {
  let escape: Directives['escape'] = '\\';
  let syntax: Directives['syntax'];
  for (const [at, line] of lines.entries()) {
    const [, name = '', value = ''] = /^#\s*([A-Za-z][A-Za-z\d]*)\s*=(.*)$/.exec(line.trim()) ?? [];
    if (name === '') break;
    if (name.toLowerCase() === 'escape' && value.trim() === '`') escape = '`';
    if (name.toLowerCase() === 'syntax') syntax ??= { image: value.trim(), line: at + 1 };
  }
  return { escape, ...(syntax && { syntax }) };
}

/** The lines of one Dockerfile, read from the first to the last. */
class Lines {
  readonly #lines: readonly string[];
  readonly #escape: string;
  #at = 0;

  constructor(lines: readonly string[], escape: string) {
    this.#lines = lines;
    this.#escape = escape;
  }

  instructions(): readonly Instruction[] {
    const found: Instruction[] = [];
    while (this.#at < this.#lines.length && found.length < MOST_INSTRUCTIONS) {
      const start = this.#at + 1;
      const text = this.#joined();
      if (text === '') continue;
      const keyword = /^\S*/.exec(text)?.[0] ?? '';
      const rest = text.slice(keyword.length).trim();
      this.#skipHeredocs(keyword.toUpperCase(), rest);
      found.push({ keyword: keyword.toUpperCase(), rest, lines: { start, end: this.#at } });
    }
    return found;
  }

  /** Returns the next line with its continuations; empty for a blank line or a comment. */
  #joined(): string {
    let text = '';
    for (let isFirst = true; this.#at < this.#lines.length; isFirst = false) {
      const line = this.#lines[this.#at++] ?? '';
      const plain = line.trimStart();
      if (plain === '' || plain.startsWith('#')) {
        if (isFirst) return '';
        // Neither ends a continuation.
        continue;
      }
      const whole = (isFirst ? plain : line).trimEnd();
      if (!this.#isContinued(whole)) return (text + whole).trim();
      text += whole.slice(0, -1);
    }
    return text.trim();
  }

  /** Whether a line, without the white space at its end, continues: it ends with one escape character, not with two. */
  #isContinued(line: string): boolean {
    return line.endsWith(this.#escape) && !line.endsWith(this.#escape + this.#escape);
  }

  #skipHeredocs(keyword: string, rest: string): void {
    const inner = keyword === 'ONBUILD' ? (/^\S*/.exec(rest)?.[0] ?? '').toUpperCase() : keyword;
    if (!HEREDOC_KEYWORDS.includes(inner) || !rest.includes('<<')) return;
    const heredocs = splitWords(rest, this.#escape).flatMap((word) =>
      heredocOf(word, this.#escape),
    );
    for (const heredoc of heredocs.slice(0, MOST_HEREDOCS)) this.#skipTo(heredoc);
  }

  #skipTo({ name, isIndented }: Heredoc): void {
    while (this.#at < this.#lines.length) {
      const line = (this.#lines[this.#at++] ?? '').replace(/\r$/, '');
      if ((isIndented ? line.replace(/^\t+/, '') : line) === name) return;
    }
  }
}

const HEREDOC_KEYWORDS: readonly string[] = ['RUN', 'COPY', 'ADD'];

interface Heredoc {
  readonly name: string;
  readonly isIndented: boolean;
}

function heredocOf(word: string, escape: string): readonly Heredoc[] {
  const [, dash, mark = ''] = /^\d*<<(-?)([^<]+)$/.exec(word) ?? [];
  const name = withoutQuotes(mark, escape);
  return name === '' ? [] : [{ name, isIndented: dash === '-' }];
}
