import { PathPattern, type StepCounter } from './pathPattern.ts';

/** The most patterns of a list. An engine cannot send more, and each may be compared with each file. */
const MOST_PATTERNS = 10_000;
/** The most tokens of all patterns of a list, and of one pattern: each may be compared with each character of a path. */
const MOST_WILDCARDS = 20_000;
const MOST_OF_ONE = 1_000;

/** Patterns in their order: the last one that matches a path decides. */
export class PatternList {
  readonly #patterns: readonly PathPattern[];
  readonly #exceptions: Leads;
  readonly #others: Leads;

  /** @throws SyntaxError with the pattern for one that is not valid; TooManyPatterns. */
  constructor(lines: readonly string[]) {
    if (lines.length > MOST_PATTERNS) throw new TooManyPatterns();
    this.#patterns = lines.flatMap((line) => PathPattern.parse(line) ?? []);
    const wildcards = this.#patterns.map((pattern) => pattern.wildcards);
    const all = wildcards.reduce((sum, count) => sum + count, 0);
    if (all > MOST_WILDCARDS || wildcards.some((count) => count > MOST_OF_ONE))
      throw new TooManyPatterns();
    this.#exceptions = leadsOf(this.#patterns.filter(({ isException }) => isException));
    this.#others = leadsOf(this.#patterns.filter(({ isException }) => !isException));
  }

  /**
   * Resolves to whether a path matches.
   *
   * @param folder what the folder of the path matched; undefined for a path without a folder.
   * @param pace is counted on, and awaited between two patterns.
   */
  async match(path: string, folder: Matched | undefined, pace: Pace): Promise<Match> {
    let isMatch = false;
    const matched = new Uint8Array(this.#patterns.length);
    for (const [at, pattern] of this.#patterns.entries()) {
      // A pattern that cannot change the result is not asked, as in Docker: this shows in what is inside a folder.
      const isAsked = pattern.isException === isMatch;
      pace.count(1);
      if (folder?.[at] === 1 || (isAsked && pattern.matches(path, pace))) {
        matched[at] = 1;
        isMatch = !pattern.isException;
      }
      if (pace.isDue) await pace.rest();
    }
    return { isMatch, matched };
  }

  /** Whether something inside a folder may match that does not match itself. */
  mayMatchInside(folder: string, counter: StepCounter): boolean {
    return mayLeadInto(folder, this.#others, counter);
  }

  /** Whether something inside a folder that matches may be an exception. */
  mayExceptInside(folder: string, counter: StepCounter): boolean {
    return mayLeadInto(folder, this.#exceptions, counter);
  }
}

/** A list has more patterns than can be compared with the files of a context. */
export class TooManyPatterns extends Error {
  override readonly name = 'TooManyPatterns';
}

/** Whether there are more patterns than a list takes. */
export function isTooMany(lines: readonly string[]): boolean {
  try {
    void new PatternList(lines);
    return false;
  } catch (error) {
    return error instanceof TooManyPatterns;
  }
}

/** What a path matches. */
export interface Match {
  readonly isMatch: boolean;
  readonly matched: Matched;
}

/** Which patterns match a path or a folder that it is in, in the order of the patterns: 1 or 0. */
export type Matched = Uint8Array;

/** Counts steps, and lets other work run when they are many. */
export interface Pace extends StepCounter {
  readonly isDue: boolean;
  rest(): Promise<void>;
}

/** Where patterns lead: anywhere, or along these paths. */
type Leads = 'anywhere' | readonly string[];

function leadsOf(patterns: readonly PathPattern[]): Leads {
  if (patterns.some(({ hasPlainPrefix }) => !hasPlainPrefix)) return 'anywhere';
  return patterns.map(({ prefix }) => `${prefix}/`);
}

function mayLeadInto(folder: string, leads: Leads, counter: StepCounter): boolean {
  if (leads === 'anywhere') return true;
  counter.count(leads.length);
  return leads.some((prefix) => prefix.startsWith(`${folder}/`));
}
