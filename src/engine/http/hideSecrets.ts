import { encodeRegistryAuth, type RegistryAuth } from '../registries/registryAuth.ts';
import { EngineError } from '../errors.ts';
import { reveal } from '../secret.ts';
import { withoutTrailing } from '../../plainText.ts';

/** Shorter ones are parts of ordinary words, and would turn every sentence into riddles. */
const SHORTEST = 4;

/**
 * Takes the secrets of these credentials out of texts, in any form in which they are sent. Engines and registries
 * may repeat whatever they were sent.
 */
export function hideSecrets(auth: RegistryAuth | undefined): (text: string) => string {
  const secrets = auth ? secretsOf(auth) : [];
  return (text) => secrets.reduce((left, secret) => left.replaceAll(secret, '…'), text);
}

/** An error of a request that was sent with credentials: the same where it does not repeat them. */
export function hideErrorSecrets(error: unknown, auth: RegistryAuth | undefined): unknown {
  if (!(error instanceof EngineError)) return error;
  const { engineMessage = '' } = error;
  const words = hideSecrets(auth)(engineMessage);
  return words === engineMessage ? error : error.with({ engineMessage: words });
}

/** The longest first: one may be a part of another. */
function secretsOf(auth: RegistryAuth): readonly string[] {
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
