import { PathPattern } from './pathPattern.ts';

/** Patterns in their order: the last one that matches a path decides. */
export class PatternList {
  readonly #patterns: readonly PathPattern[];
  readonly #exceptions: readonly PathPattern[];
  readonly #others: readonly PathPattern[];

  /** @throws SyntaxError with the pattern for one that is not valid. */
  constructor(lines: readonly string[]) {
    this.#patterns = lines.flatMap((line) => PathPattern.parse(line) ?? []);
    this.#exceptions = this.#patterns.filter(({ isException }) => isException);
    this.#others = this.#patterns.filter(({ isException }) => !isException);
  }

  /**
   * Returns whether a path matches.
   *
   * @param folder what the folder of the path matched; undefined for a path without a folder.
   */
  match(path: string, folder?: Matched): { readonly isMatch: boolean; readonly matched: Matched } {
    let isMatch = false;
    const matched = this.#patterns.map((pattern, at) => {
      // A pattern that cannot change the result is not asked, as in Docker: this shows in what is inside a folder.
      const isAsked = pattern.isException === isMatch;
      const found = folder?.[at] === true || (isAsked && pattern.matches(path));
      if (found) isMatch = !pattern.isException;
      return found;
    });
    return { isMatch, matched };
  }

  /** Whether something inside a folder may match that does not match itself. */
  mayMatchInside(folder: string): boolean {
    return mayLeadInto(folder, this.#others);
  }

  /** Whether something inside a folder that matches may be an exception. */
  mayExceptInside(folder: string): boolean {
    return mayLeadInto(folder, this.#exceptions);
  }
}

/** Which patterns match a path or a folder that it is in, in the order of the patterns. */
export type Matched = readonly boolean[];

function mayLeadInto(folder: string, patterns: readonly PathPattern[]): boolean {
  return (
    patterns.some(({ hasPlainPrefix }) => !hasPlainPrefix) ||
    patterns.some(({ prefix }) => `${prefix}/`.startsWith(`${folder}/`))
  );
}
