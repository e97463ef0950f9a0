import { encodeRegistryAuth, type RegistryAuth } from './registryAuth.ts';
import { EngineError } from '../errors.ts';
import { reveal } from '../../base/secret.ts';
import { withoutTrailing } from '../../base/plainText.ts';

/** Shorter secrets may be parts of ordinary words; replacing them would make messages unreadable. */
const SHORTEST = 4;

/**
 * Returns a function that replaces the secrets of these credentials in a text by `…`, in every form in which they
 * are sent. Engines and registries may repeat what they were sent.
 */
export function hideSecrets(auth: RegistryAuth | undefined): (text: string) => string {
  const forms = auth ? secretForms(auth) : [];
  return (text) => forms.reduce((left, form) => left.replaceAll(form, HIDDEN), text);
}

/** Text shown instead of a secret. */
export const HIDDEN = '…';

/** Hides the secrets of credentials in an error of a request. Returns the same error if it contains none. */
export function hideErrorSecrets(error: unknown, auth: RegistryAuth | undefined): unknown {
  if (!(error instanceof EngineError)) return error;
  const { engineMessage = '' } = error;
  const words = hideSecrets(auth)(engineMessage);
  return words === engineMessage ? error : error.with({ engineMessage: words });
}

/** Returns the secrets of credentials in every form in which they are sent, longest first: one may be in another. */
export function secretForms(auth: RegistryAuth): readonly string[] {
  const { username = '', password, identitytoken, registrytoken } = auth;
  const alone = [password, identitytoken, registrytoken].flatMap((one) =>
    one === undefined ? [] : [reveal(one)],
  );
  const pair = password === undefined ? [] : [`${username}:${reveal(password)}`];
  const base64 = [...alone, ...pair].flatMap((text) => {
    const bytes = Buffer.from(text);
    return [bytes.toString('base64'), bytes.toString('base64url')];
  });
  return [...alone, ...base64, encodeRegistryAuth(auth)]
    .flatMap((text) => [text, withoutTrailing(text, '='), encodeURIComponent(text.toWellFormed())])
    .filter((text) => text.length >= SHORTEST)
    .sort((a, b) => b.length - a.length);
}
