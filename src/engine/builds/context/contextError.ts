import { oneLine } from '../../../base/plainText.ts';
import { sentence, type Sentence } from '../../../base/sentence.ts';
import { InputError } from '../../errors.ts';

/** A file of the context that cannot be sent. The engine only reports that there is one. */
export class ContextError extends InputError {
  readonly problem: ContextProblem;
  /** Relative to the context. */
  readonly path: string;

  /** @param place where a pattern is that is not valid. */
  constructor(problem: ContextProblem, path: string, cause?: unknown, place?: PatternPlace) {
    super(sentenceOf(problem, path, place), { cause });
    this.problem = problem;
    this.path = path;
  }
}

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

function sentenceOf(problem: ContextProblem, path: string, place?: PatternPlace): Sentence {
  const name = shortName(path);
  switch (problem) {
    case 'unreadable':
      return sentence(
        'Cannot read {0}. Add it to .dockerignore if the build does not need it.',
        name,
      );
    case 'changed':
      return sentence(
        '{0} changed while it was sent. Add it to .dockerignore if the build does not need it.',
        name,
      );
    case 'badName':
      return sentence('The name of {0} is not valid UTF-8.', name);
    case 'badTarget':
      return sentence('The target of the link {0} is not valid UTF-8.', name);
    case 'badPattern':
      return place
        ? sentence(
            'The pattern {0} is not valid. Correct line {1} of {2}.',
            name,
            place.line,
            shortName(place.file),
          )
        : sentence('The pattern {0} in the ignore file is not valid.', name);
    case 'ignoreFolder':
      return sentence('{0} is a folder. Rename it, or replace it with an ignore file.', name);
    case 'utf16':
      return sentence('{0} is encoded in UTF-16. Save it as UTF-8.', name);
    case 'tooManyPatterns':
      return sentence('The ignore file has too many patterns. Use fewer wildcards.');
    case 'tooMany':
      return sentence('Cannot send the build context: {0}.', name);
  }
}

function shortName(path: string): string {
  return oneLine(path, NAME_LIMIT);
}

/** In characters. */
const NAME_LIMIT = 80;
