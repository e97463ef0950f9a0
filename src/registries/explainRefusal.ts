import type { EngineError } from '../engine/errors.ts';
import { failedWith } from '../engine/errors.ts';
import type { L10n } from '../l10n.ts';
import { oneLine } from '../plainText.ts';
import {
  formatCredentialSource,
  credentialProblemMessage,
  type FoundCredentials,
} from './credentialSource.ts';

// Engines tell of a registry's refusal by the registry's words alone: the status may be any.
const REFUSED =
  /unauthori[sz]ed|authentication required|no basic auth|authorization failed|invalid_grant|access forbidden|\b403 forbidden|(?<!permission )\bdenied\b/i;

/** The same refusal in a sentence that says which credentials were tried. */
export function explainRefusal(
  error: EngineError,
  registry: string,
  found: FoundCredentials,
  l10n: L10n,
): EngineError {
  const sentence = [
    whatWasTried(registry, found, l10n),
    oneLine(error.engineMessage ?? '', 1000),
  ].join(' ');
  const troubles = found.problems.map((trouble) => credentialProblemMessage(trouble, l10n));
  const words = [/[.!?]$/.test(sentence) ? sentence : `${sentence}.`, ...troubles].join(' ');
  return error.with({ reason: 'unauthorized', engineMessage: words });
}

/** Whether a registry, by the mouth of an engine, wants other credentials than it got. */
export function isRegistryRefusal(error: unknown): error is EngineError {
  if (!failedWith(error, 'unauthorized', 'failed', 'notFound', 'badRequest')) return false;
  return REFUSED.test(error.engineMessage ?? '');
}

// In the words of Docker and of Podman.
const MISSING = /manifest unknown|name unknown|repository name not known/i;

/** Whether a registry, by the mouth of an engine, does not have what it was asked for. */
export function isMissingInRegistry(error: unknown): error is EngineError {
  if (!failedWith(error, 'failed', 'notFound', 'badRequest')) return false;
  const words = error.engineMessage ?? '';
  return MISSING.test(words) || isUnresolved(words);
}

/** In the words of Docker's containerd store, which also ends so if only the platform is missing. */
function isUnresolved(words: string): boolean {
  return words.includes('failed to resolve reference') && words.endsWith(': not found');
}

function whatWasTried(registry: string, { auth, source }: FoundCredentials, l10n: L10n): string {
  if (!auth) return l10n.t('{0} refused, and no credentials for it were found:', registry);
  const who = formatCredentialSource(source, l10n);
  return auth.identitytoken === undefined
    ? l10n.t('{0} refused the credentials ({1}):', registry, who)
    : l10n.t('{0} refused the sign-in ({1}); it may have expired, so sign in anew:', registry, who);
}
