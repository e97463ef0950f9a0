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
  | { readonly kind: 'set'; readonly has: (char: string) => boolean }
  /** `*`: characters but no slash. */
  | { readonly kind: 'star' }
  /** `**` before something: nothing, or what the next token takes. */
  | { readonly kind: 'optional' }
  /** Any characters, and a slash. */
  | { readonly kind: 'folders' }
  /** Any characters. */
  | { readonly kind: 'rest' };

/** One pattern. Takes linear time for a path, whatever the pattern is: an engine may send it. */
export class PathPattern {
  /** Without the exclamation mark. */
  readonly text: string;
  /** Whether it takes back what earlier patterns match. */
  readonly isException: boolean;
  readonly #tokens: readonly Token[];
  readonly #isLiteral: boolean;

  private constructor(text: string, isException: boolean) {
    this.text = text;
    this.isException = isException;
    this.#tokens = tokensOf(text);
    this.#isLiteral = !/[*?[\]\\]/.test(text);
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

  /** Returns the text up to a last `/**` or `/*`, so that it can be compared with a folder. */
  get prefix(): string {
    return this.text.replace(/\/\*\*$/, '').replace(/\/\*$/, '');
  }

  /** Whether {@link prefix} is a path. */
  get hasPlainPrefix(): boolean {
    return !/[*[\]?^\\]/.test(this.prefix);
  }

  /** @param path relative, with slashes. */
  matches(path: string): boolean {
    return this.#isLiteral ? path === this.text : matchTokens(this.#tokens, path);
  }
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
      tokens.push({ kind: 'set', has: setOf(chars.slice(at + 1, end)) });
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
function matchTokens(tokens: readonly Token[], path: string): boolean {
  let current = new Set<number>();
  reach(tokens, current, 0);
  for (const char of path) {
    const next = new Set<number>();
    for (const at of current) step(tokens, next, at, char);
    if (next.size === 0) return false;
    current = next;
  }
  return current.has(tokens.length);
}

/** Adds a position, and those behind it that need no character. */
function reach(tokens: readonly Token[], positions: Set<number>, at: number): void {
  if (positions.has(at)) return;
  positions.add(at);
  const kind = tokens[at]?.kind;
  if (kind === 'star' || kind === 'rest') reach(tokens, positions, at + 1);
  if (kind !== 'optional') return;
  reach(tokens, positions, at + 1);
  reach(tokens, positions, at + 2);
}

function step(tokens: readonly Token[], next: Set<number>, at: number, char: string): void {
  const token = tokens[at];
  if (!token) return;
  const isSlash = char === '/';
  if (token.kind === 'folders' || token.kind === 'rest' || (token.kind === 'star' && !isSlash))
    reach(tokens, next, at);
  const isDone =
    (token.kind === 'character' && token.text === char) ||
    (token.kind === 'any' && !isSlash) ||
    (token.kind === 'set' && token.has(char)) ||
    (token.kind === 'folders' && isSlash);
  if (isDone) reach(tokens, next, at + 1);
}
