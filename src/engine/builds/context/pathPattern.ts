/** Patterns of `.dockerignore` and of the files that a build asks for, as Docker applies them. */

import { posix } from 'node:path';

/** The syntax that Go's `filepath.Match` accepts. */
const SYNTAX =
  /^(?:[^\\[]|\\[^]|\[(?:\^|(?!\^))(?:(?:[^\\\]-]|\\[^])(?:-(?:[^\\\]-]|\\[^]))?)+\])*$/;

/** A part of a pattern. */
type Token =
  | { readonly kind: 'character'; readonly text: string }
  /** `?`: one character but no slash. */
  | { readonly kind: 'any' }
  | { readonly kind: 'set'; readonly has: (char: string) => boolean; readonly size: number }
  /** `*`: characters but no slash. */
  | { readonly kind: 'star' }
  /** `**` before something: nothing, or what the next token takes. */
  | { readonly kind: 'optional' }
  /** Any characters, and a slash. */
  | { readonly kind: 'folders' }
  /** Any characters. */
  | { readonly kind: 'rest' };

/**
 * One pattern. A path takes at most as many steps as it has characters, times the tokens of the pattern: who matches
 * many bounds the tokens and counts the steps, because an engine may send both.
 */
export class PathPattern {
  /** Without the exclamation mark. */
  readonly text: string;
  /** Whether it takes back what earlier patterns match. */
  readonly isException: boolean;
  /** The text up to a last `/**` or `/*`, so that it can be compared with a folder. */
  readonly prefix: string;
  /** Whether {@link prefix} is a path. */
  readonly hasPlainPrefix: boolean;
  /** Beginning of a path, up to the first wildcard. */
  readonly #start: string;
  /** Number of tokens from the first wildcard on, with the characters of sets; 0 if there is none. */
  readonly wildcards: number;
  readonly #rest: readonly Token[];
  readonly #match: TokenMatch;

  private constructor(text: string, isException: boolean) {
    this.text = text;
    this.isException = isException;
    this.prefix = text.replace(/\/\*\*$/, '').replace(/\/\*$/, '');
    this.hasPlainPrefix = !/[*[\]?^\\]/.test(this.prefix);
    const tokens = tokensOf(text);
    const first = tokens.findIndex(({ kind }) => kind !== 'character');
    const count = first < 0 ? tokens.length : first;
    this.#start = tokens.slice(0, count).map(textOf).join('');
    const rest = tokens.slice(count);
    this.wildcards = rest.reduce((sum, token) => sum + sizeOf(token), 0);
    this.#rest = rest;
    this.#match = new TokenMatch(rest);
  }

  /**
   * Reads a pattern; undefined if it is empty.
   *
   * @throws SyntaxError with the pattern if it is not valid.
   */
  static parse(line: string): PathPattern | undefined {
    const trimmed = line.trim();
    if (trimmed === '') return undefined;
    const cleaned = cleanPath(trimmed);
    const isException = cleaned.startsWith('!');
    const text = isException ? cleaned.slice(1) : cleaned;
    if (text === '' || !SYNTAX.test(text)) throw new SyntaxError(line);
    return new PathPattern(text, isException);
  }

  /** @param path relative, with slashes. */
  matches(path: string, counter?: StepCounter): boolean {
    counter?.count(1);
    if (this.wildcards === 0) return path === this.#start;
    if (!path.startsWith(this.#start)) return false;
    return this.#match.matches(path.slice(this.#start.length), counter);
  }

  /** The same, character by character: other comparisons may come in between. */
  *steps(path: string, counter: StepCounter): Generator<void, boolean> {
    if (this.wildcards === 0 || !path.startsWith(this.#start)) return this.matches(path, counter);
    counter.count(1);
    return yield* new TokenMatch(this.#rest).steps(path.slice(this.#start.length), counter);
  }
}

/** Counts the steps of a match. */
export interface StepCounter {
  count(steps: number): void;
}

/** Cleans a path as Go does: no `.`, no `..` within, no slash at the end; `.` if nothing is left. */
export function cleanPath(path: string): string {
  const normal = posix.normalize(path);
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
}

function tokensOf(pattern: string): readonly Token[] {
  const tokens: Token[] = [];
  const chars = Array.from(pattern);
  // Docker compares such a pattern with the end of a path, also within a name.
  if (/^\*\*[^*?[\]\\/][^*?[\]\\]*$/.test(pattern)) {
    tokens.push({ kind: 'rest' });
    chars.splice(0, 2);
  }
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] ?? '';
    if (char === '*' && chars[at + 1] === '*') {
      at += chars[at + 2] === '/' ? 2 : 1;
      if (at + 1 >= chars.length) tokens.push({ kind: 'rest' });
      else tokens.push({ kind: 'optional' }, { kind: 'folders' });
    } else if (char === '*') tokens.push({ kind: 'star' });
    else if (char === '?') tokens.push({ kind: 'any' });
    else if (char === '[') {
      const end = endOfSet(chars, at);
      tokens.push({ kind: 'set', has: setOf(chars.slice(at + 1, end)), size: end - at });
      at = end;
    } else if (char === '\\') tokens.push({ kind: 'character', text: chars[++at] ?? '\\' });
    else tokens.push({ kind: 'character', text: char });
  }
  return tokens;
}

/** Returns the position of the bracket that closes a set. */
function endOfSet(chars: readonly string[], start: number): number {
  let at = start + 1;
  while (chars[at] !== ']') at += chars[at] === '\\' ? 2 : 1;
  return at;
}

function setOf(chars: readonly string[]): (char: string) => boolean {
  const isNegated = chars[0] === '^';
  const ranges: (readonly [number, number])[] = [];
  let at = isNegated ? 1 : 0;
  const next = (): number => {
    if (chars[at] === '\\') at++;
    return chars[at++]?.codePointAt(0) ?? 0;
  };
  while (at < chars.length) {
    const low = next();
    if (chars[at] === '-') at++;
    else {
      ranges.push([low, low]);
      continue;
    }
    ranges.push([low, next()]);
  }
  return (char) => {
    const code = char.codePointAt(0) ?? 0;
    return ranges.some(([low, high]) => low <= code && code <= high) !== isNegated;
  };
}

/** Follows all alternatives through the tokens simultaneously. */
class TokenMatch {
  readonly #tokens: readonly Token[];
  /** For each position, the character after which it was reached last: they are counted over all texts. */
  readonly #reached: Float64Array;
  #current: number[] = [];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
    this.#reached = new Float64Array(tokens.length + 1);
  }

  matches(text: string, counter: StepCounter | undefined): boolean {
    this.#begin();
    for (const char of text) if (!this.#advance(char, counter)) return false;
    return this.#isAtEnd;
  }

  /** The same; yields after each character. */
  *steps(text: string, counter: StepCounter): Generator<void, boolean> {
    this.#begin();
    for (const char of text) {
      if (!this.#advance(char, counter)) return false;
      yield;
    }
    return this.#isAtEnd;
  }

  #begin(): void {
    this.#current = [];
    this.#at++;
    this.#reach(0);
  }

  /** Returns whether any alternative is left after a character. */
  #advance(char: string, counter: StepCounter | undefined): boolean {
    const before = this.#current;
    this.#current = [];
    this.#at++;
    let steps = 0;
    for (const at of before) steps += this.#step(at, char);
    counter?.count(steps);
    return this.#current.length > 0;
  }

  get #isAtEnd(): boolean {
    return this.#reached[this.#tokens.length] === this.#at;
  }

  /** Adds a position, and those behind it that need no character. */
  #reach(position: number): void {
    for (let at = position; this.#reached[at] !== this.#at; at++) {
      this.#reached[at] = this.#at;
      this.#current.push(at);
      const kind = this.#tokens[at]?.kind;
      if (kind === 'optional') this.#reach(at + 2);
      else if (kind !== 'star' && kind !== 'rest') return;
    }
  }

  /** Matches a character at a position. Returns the number of steps. */
  #step(at: number, char: string): number {
    const token = this.#tokens[at];
    if (!token) return 1;
    const isSlash = char === '/';
    if (token.kind === 'folders' || token.kind === 'rest' || (token.kind === 'star' && !isSlash))
      this.#reach(at);
    const isDone =
      (token.kind === 'character' && token.text === char) ||
      (token.kind === 'any' && !isSlash) ||
      (token.kind === 'set' && token.has(char)) ||
      (token.kind === 'folders' && isSlash);
    if (isDone) this.#reach(at + 1);
    return sizeOf(token);
  }
}

function sizeOf(token: Token): number {
  return token.kind === 'set' ? token.size : 1;
}

function textOf(token: Token): string {
  return token.kind === 'character' ? token.text : '';
}
