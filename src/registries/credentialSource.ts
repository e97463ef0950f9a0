import * as l10n from '@vscode/l10n';
import { failedWith, type EngineError } from '../engine/errors.ts';
import type { RegistryAuth } from '../engine/wire/registryAuth.ts';
import { oneLine, withoutTrailing } from '../base/plainText.ts';
import type { HelperFailure } from './credentialHelpers.ts';
import { wordsOfEngine } from '../base/translate.ts';

/** Where the credentials for a registry were found. Never contains the credentials. */
export type CredentialSource =
  | { readonly kind: 'none' }
  | { readonly kind: 'argument' }
  /** Signed in with Gantry. */
  | { readonly kind: 'signIn' }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'helper'; readonly helper: string; readonly file: string };

/** Why a source that should have credentials was skipped. */
export type CredentialProblem =
  /** A file, variable, or entry is invalid; `where` names it. */
  | { readonly kind: 'damaged'; readonly where: string }
  /** The name of the credential helper is invalid. */
  | { readonly kind: 'badName'; readonly file: string }
  | { readonly kind: HelperFailure; readonly helper: string; readonly file: string }
  /** The secret storage of VS Code could not be read. */
  | { readonly kind: 'storage' };

/** The result of looking up credentials. */
export interface FoundCredentials {
  readonly auth?: RegistryAuth;
  readonly source: CredentialSource;
  /** In the order in which the sources were checked. */
  readonly problems: readonly CredentialProblem[];
}

export function formatCredentialSource(source: CredentialSource): string {
  switch (source.kind) {
    case 'none':
      return l10n.t('no credentials');
    case 'argument':
      return l10n.t('passed by the caller');
    case 'signIn':
      return l10n.t('signed in with Gantry');
    case 'variable':
      return l10n.t('environment variable {0}', source.name);
    case 'file':
      return source.file;
    case 'helper':
      return l10n.t('credential helper {0} in {1}', source.helper, source.file);
  }
}

/** Returns a sentence that explains why a source was skipped. */
export function credentialProblemMessage(trouble: CredentialProblem): string {
  const program = 'helper' in trouble ? `docker-credential-${oneLine(trouble.helper)}` : '';
  switch (trouble.kind) {
    case 'damaged':
      return l10n.t('Cannot parse {0}.', trouble.where);
    case 'badName':
      return l10n.t('{0} contains an invalid credential helper name.', trouble.file);
    case 'storage':
      return l10n.t('Cannot read the credentials in VS Code secret storage.');
    case 'missing':
      return l10n.t('Credential helper {0} (set in {1}) not found.', program, trouble.file);
    case 'slow':
      return l10n.t('The credential helper {0} timed out and was stopped.', program);
    case 'failed':
      return l10n.t('The credential helper {0} failed.', program);
    case 'rubbish':
      return l10n.t('Unexpected response from the credential helper {0}.', program);
    case 'tooMuch':
      return l10n.t('The credential helper {0} returned too much output and was stopped.', program);
  }
}

// The engine passes on a refusal by the registry only as text: the HTTP status may be any.
const REFUSED =
  /unauthori[sz]ed|authentication required|no basic auth|authorization failed|invalid_grant|access forbidden|\b403 forbidden|(?<!permission )\bdenied\b/i;

// What a registry answers if the credentials are valid, or none are needed, but they give no access to the
// repository. It does not reveal whether the repository exists.
const NO_ACCESS = /requested access to the resource is denied|insufficient_scope/i;

/** Returns the error with a message that names the credentials that were tried. */
export function explainRefusal(
  error: EngineError,
  registry: string,
  found: FoundCredentials,
): EngineError {
  const refusal = refusalSentence(error, registry, found);
  const quoted = withoutTrailing(oneLine(wordsOfEngine(error) ?? '', 1000), '.');
  const sentence =
    quoted === '' ? refusal : l10n.t('{0}: {1}.', withoutTrailing(refusal, '.'), quoted);
  const troubles = found.problems.map((trouble) => credentialProblemMessage(trouble));
  return error.with({ reason: 'unauthorized', engineMessage: [sentence, ...troubles].join(' ') });
}

/** Returns a message that names the credentials that the registry rejected, without the words of the engine. */
export function refusalMessage(
  error: EngineError,
  registry: string,
  found: FoundCredentials,
): string {
  const refusal = refusalSentence(error, registry, found);
  return hasNoAccess(error) ? `${refusal} ${l10n.t('The repository may not exist.')}` : refusal;
}

function refusalSentence(
  error: EngineError,
  registry: string,
  { auth, source }: FoundCredentials,
): string {
  if (!auth) return l10n.t('{0} denied access, and no credentials for it were found.', registry);
  const who = formatCredentialSource(source);
  if (hasNoAccess(error))
    return l10n.t('{0} denied access with the credentials ({1}).', registry, who);
  return auth.identitytoken === undefined
    ? l10n.t('{0} rejected the credentials ({1}).', registry, who)
    : l10n.t('{0} rejected the saved credentials ({1}), which may have expired.', registry, who);
}

function hasNoAccess({ engineMessage = '' }: EngineError): boolean {
  return NO_ACCESS.test(engineMessage);
}

/** Returns whether the error is a registry rejecting the credentials, passed on by the engine. */
export function isRegistryRefusal(error: unknown): error is EngineError {
  if (!failedWith(error, 'unauthorized', 'failed', 'notFound', 'badRequest')) return false;
  return REFUSED.test(error.engineMessage ?? '');
}

// The messages of Docker and Podman.
const MISSING = /manifest unknown|name unknown|repository name not known/i;

/**
 * Returns whether the error is a registry reporting that the image or repository does not exist, passed on by
 * the engine.
 */
export function isMissingInRegistry(error: unknown): error is EngineError {
  if (!failedWith(error, 'failed', 'notFound', 'badRequest')) return false;
  const words = error.engineMessage ?? '';
  return MISSING.test(words) || isUnresolved(words);
}

/** The message of Docker with the containerd image store, also used if only the platform is missing. */
function isUnresolved(words: string): boolean {
  return words.includes('failed to resolve reference') && words.endsWith(': not found');
}
