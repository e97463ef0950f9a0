/** A file of the context that cannot be sent. */
export class ContextError extends Error {
  override readonly name = 'ContextError';
  readonly problem: ContextProblem;
  /** Relative to the context. */
  readonly path: string;

  constructor(problem: ContextProblem, path: string, cause?: unknown) {
    super(`${path}: ${problem}`, { cause });
    this.problem = problem;
    this.path = path;
  }
}

/** Why the files of a build cannot be sent. */
export type ContextProblem =
  /** The file or folder cannot be read. */
  | 'unreadable'
  /** The file became shorter while it was sent. */
  | 'changed'
  /** The name is not valid UTF-8. */
  | 'badName'
  /** The pattern in an ignore file is not valid; `path` is the pattern. */
  | 'badPattern'
  /** There are too many files. */
  | 'tooMany';
