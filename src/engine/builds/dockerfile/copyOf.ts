import { asTexts } from '../../wire/wire.ts';
import { tryParseJson } from '../../wire/parseJson.ts';
import { splitFlags, type Instruction } from './readInstructions.ts';

/**
 * Reads a `COPY` or an `ADD`; undefined for another instruction. What cannot be read has no sources.
 *
 * @param escape the escape character of the Dockerfile.
 */
export function copyOf({ keyword, rest }: Instruction, escape: string): Copy | undefined {
  if (keyword !== 'COPY' && keyword !== 'ADD') return undefined;
  const { flags, words } = splitFlags(rest, escape);
  const paths = pathsIn(words);
  const isFromContext = !flags.some((flag) => flag.startsWith('--from='));
  return { flags, isFromContext, sources: paths.slice(0, -1), target: paths.at(-1) };
}

/**
 * Sources and target of a `COPY` or an `ADD`, with its arguments, and without its quotation marks only in exec form.
 */
export interface Copy {
  readonly flags: readonly string[];
  /** Whether its sources are of the context, not of another stage or image. */
  readonly isFromContext: boolean;
  /** Paths, patterns, URLs and marks of here-documents. */
  readonly sources: readonly string[];
  readonly target: string | undefined;
}

/** Returns the words of an instruction in shell or exec form. */
function pathsIn(words: readonly string[]): readonly string[] {
  return words[0]?.startsWith('[') === true ? asTexts(tryParseJson(words.join(' '))) : words;
}
