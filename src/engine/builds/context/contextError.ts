/** A file of the context that cannot be sent. */
export class ContextError extends Error {
  override readonly name = 'ContextError';
  readonly problem: ContextProblem;
  /** Relative to the context. */
  readonly path: string;
  /** Of a pattern that is not valid: where it is. */
  readonly place: PatternPlace | undefined;

  constructor(problem: ContextProblem, path: string, cause?: unknown, place?: PatternPlace) {
    super(`${path}: ${problem}`, { cause });
    this.problem = problem;
    this.path = path;
    this.place = place;
  }
}

/** A line of an ignore file. */
export interface PatternPlace {
  /** Name of the file. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** Why the files of a build cannot be sent. */
export type ContextProblem =
  /** The file or folder cannot be read. */
  | 'unreadable'
  /** The file became shorter while it was sent, or is another one now. */
  | 'changed'
  /** The name is not valid UTF-8. */
  | 'badName'
  /** The target of the link is not valid UTF-8. */
  | 'badTarget'
  /** The pattern in an ignore file is not valid; `path` is the pattern. */
  | 'badPattern'
  /** The ignore file is a folder; `path` is its name. */
  | 'ignoreFolder'
  /** The ignore file is not UTF-8; `path` is its name. */
  | 'utf16'
  /** There are too many files. */
  | 'tooMany'
  /** There are too many patterns, or too many wildcards in them, to compare files with; `path` is the ignore file. */
  | 'tooManyPatterns';
