import { PathPattern, type StepCounter } from './pathPattern.ts';

/** The most patterns of a list. An engine cannot send more, and each may be compared with each file. */
const MOST_PATTERNS = 10_000;
/** The most characters of all patterns: more than the largest ignore file has. */
const MOST_CHARACTERS = 2 * 1024 * 1024;
/**
 * The most tokens of all patterns of a list, and of one pattern: each may be compared with each character of a path.
 */
const MOST_WILDCARDS = 20_000;
const MOST_OF_ONE = 1_000;

/** Patterns in their order: the last one that matches a path decides. */
export class PatternList {
  readonly #patterns: readonly PathPattern[];
  readonly #exceptions: Leads;
  readonly #others: Leads;

  /** @throws SyntaxError with the pattern for one that is not valid; TooManyPatterns. */
  constructor(lines: readonly string[]) {
    const characters = lines.reduce((sum, { length }) => sum + length, 0);
    if (lines.length > MOST_PATTERNS || characters > MOST_CHARACTERS) throw new TooManyPatterns();
    let left = MOST_WILDCARDS;
    this.#patterns = lines.flatMap((line) => {
      const pattern = PathPattern.parse(line);
      const wildcards = pattern?.wildcards ?? 0;
      left -= wildcards;
      if (left < 0 || wildcards > MOST_OF_ONE) throw new TooManyPatterns();
      return pattern ?? [];
    });
    this.#exceptions = leadsOf(this.#patterns.filter(({ isException }) => isException));
    this.#others = leadsOf(this.#patterns.filter(({ isException }) => !isException));
  }

  /**
   * Resolves to whether a path matches.
   *
   * @param folder what the folder of the path matched; undefined for a path without a folder.
   * @param pace is counted on, and awaited between and within comparisons.
   */
  async match(path: string, folder: Matched | undefined, pace: Pace): Promise<Match> {
    let isMatch = false;
    const matched = new Uint8Array(this.#patterns.length);
    for (const [at, pattern] of this.#patterns.entries()) {
      // A pattern that cannot change the result is not asked, as in Docker: this shows in what is inside a folder.
      const isAsked = pattern.isException === isMatch;
      pace.count(1);
      if (folder?.[at] === 1 || (isAsked && (await matchInTurns(pattern, path, pace)))) {
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

/** Returns whether there are more patterns than a list accepts. */
export function isTooMany(lines: readonly string[]): boolean {
  try {
    void new PatternList(lines);
    return false;
  } catch (error) {
    return error instanceof TooManyPatterns;
  }
}

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

/** Number of characters times wildcards compared without looking whether to yield. */
const AT_ONCE = 10_000;

/** Resolves to whether a path matches a pattern. @param pace is counted on, and awaited within a long comparison. */
export function matchInTurns(
  pattern: PathPattern,
  path: string,
  pace: Pace,
): boolean | Promise<boolean> {
  if (pattern.wildcards * path.length <= AT_ONCE) return pattern.matches(path, pace);
  return awaited(pattern.steps(path, pace), pace);
}

async function awaited(steps: Generator<void, boolean>, pace: Pace): Promise<boolean> {
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) if (pace.isDue) await pace.rest();
  return step.value;
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
