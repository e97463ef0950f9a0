import { EngineError, InputError, type FailureReason } from '../engine/errors.ts';
import { AmbiguousError } from '../engine/resolve.ts';
import type { L10n } from '../l10n.ts';

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
  if (error instanceof EngineError) return SENTENCES[error.reason](error, l10n);
  return error instanceof Error ? error.message : String(error);
}

/** "Could not …: why" as one sentence. */
export function describeFailure(what: string, error: unknown, l10n: L10n): string {
  // Refused input explains itself; nothing was tried.
  if (error instanceof InputError || error instanceof SentenceError) return error.message;
  return l10n.t('{0}: {1}', what, describeError(error, l10n));
}

type Sentence = (error: EngineError, l10n: L10n) => string;

const engineWords: Sentence = (error, l10n) =>
  error.engineMessage ??
  l10n.t(
    'The engine refused {0} with status {1} and no reason.',
    error.operation ?? '',
    error.status ?? '',
  );

/** A table and not a switch, so that the compiler asks for a sentence with every new reason. */
const SENTENCES: Readonly<Record<FailureReason, Sentence>> = {
  socketAbsent: (error, l10n) =>
    l10n.t('No container engine is running: there is no socket at {0}.', error.endpoint ?? ''),
  permissionDenied: (error, l10n) =>
    l10n.t('You may not use the container engine at {0}: permission denied.', error.endpoint ?? ''),
  refused: (error, l10n) =>
    l10n.t('The container engine at {0} is not running: connection refused.', error.endpoint ?? ''),
  notASocket: (error, l10n) =>
    l10n.t('{0} is no socket, so no container engine listens there.', error.endpoint ?? ''),
  unreachable: (error, l10n) =>
    l10n.t(
      'The container engine at {0} cannot be reached: {1}',
      error.endpoint ?? '',
      error.engineMessage ?? '',
    ),
  badEndpoint: (error, l10n) =>
    l10n.t(
      '"{0}" is no address of an engine. Write a socket path, unix://, npipe:// or tcp://host:port.',
      error.endpoint ?? '',
    ),
  notAnEngine: (error, l10n) =>
    l10n.t('What answers at {0} is not a container engine.', error.endpoint ?? ''),
  tooOld: (error, l10n) =>
    l10n.t(
      'The container engine at {0} is too old ({1}). Docker 20.10 or Podman 4 is needed.',
      error.endpoint ?? '',
      error.engineMessage ?? '',
    ),
  tooNew: (error, l10n) =>
    l10n.t(
      'The container engine at {0} is too new for this version of Gantry: {1}',
      error.endpoint ?? '',
      error.engineMessage ?? '',
    ),
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
  tooLarge: (_error, l10n) => l10n.t('The answer of the container engine is too large.'),
  notFound: engineWords,
  conflict: engineWords,
  badRequest: engineWords,
  unauthorized: engineWords,
  failed: engineWords,
};
