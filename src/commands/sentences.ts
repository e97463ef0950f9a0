import { PathKindError } from '../engine/archive.ts';
import { EngineError, InputError, type FailureReason } from '../engine/errors.ts';
import { AmbiguousError } from '../engine/resolve.ts';
import type { L10n } from '../l10n.ts';
import { WAY_SENTENCES, type Sentence } from './waySentences.ts';

/** Something went wrong half-way; its message is the whole sentence. */
export class SentenceError extends Error {}

/** What went wrong in one sentence a person can act on. */
export function describeError(error: unknown, l10n: L10n): string {
  if (error instanceof InputError) return error.message;
  if (error instanceof AmbiguousError) {
    return l10n.t(
      '"{0}" fits more than one: {1}. Give more of the id, or the name.',
      error.text,
      error.candidates.join(', '),
    );
  }
  if (error instanceof PathKindError) return pathSentence(error, l10n);
  if (error instanceof EngineError) return SENTENCES[error.reason](error, l10n);
  return error instanceof Error ? error.message : String(error);
}

function pathSentence({ path, kind }: PathKindError, l10n: L10n): string {
  if (kind === 'folder') return l10n.t('{0} is a folder.', path);
  return kind === 'other'
    ? l10n.t('{0} is a device or a pipe, which has no contents of its own.', path)
    : l10n.t('{0} is not a folder.', path);
}

/** "Could not …: why" as one sentence. */
export function describeFailure(what: string, error: unknown, l10n: L10n): string {
  // Refused input explains itself; nothing was tried.
  if (error instanceof InputError || error instanceof SentenceError) return error.message;
  return l10n.t('{0}: {1}', what, describeError(error, l10n));
}

const engineWords: Sentence = (error, l10n) =>
  error.engineMessage ??
  l10n.t(
    'The engine refused {0} with status {1} and no reason.',
    error.operation ?? '',
    error.status ?? '',
  );

/** A table and not a switch, so that the compiler asks for a sentence with every new reason. */
const SENTENCES: Readonly<Record<FailureReason, Sentence>> = {
  ...WAY_SENTENCES,
  timeout: (error, l10n) =>
    l10n.t(
      'The container engine did not answer {0} within {1} s.',
      error.operation ?? '',
      error.limitSeconds ?? '',
    ),
  cut: (_error, l10n) =>
    l10n.t('The connection to the container engine broke before it had answered.'),
  badAnswer: (error, l10n) =>
    l10n.t(
      'The container engine answered {0} in a way that makes no sense.',
      error.operation ?? '',
    ),
  tooLarge: (error, l10n) =>
    l10n.t('The container engine answered {0} with more than Gantry takes.', error.operation ?? ''),
  notFound: engineWords,
  conflict: engineWords,
  badRequest: engineWords,
  unauthorized: engineWords,
  failed: engineWords,
};
