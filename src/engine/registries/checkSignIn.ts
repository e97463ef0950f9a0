/** Checks registry credentials through an engine: `POST /auth`. */

import type { Connection } from '../http/connection.ts';
import { EngineError } from '../errors.ts';
import { hideErrorSecrets } from '../wire/hideSecrets.ts';
import { Secret } from '../../base/secret.ts';
import { asRecord, asText } from '../wire/wire.ts';
import { tryParseJson } from '../wire/parseJson.ts';

/**
 * Signs in to a registry through the engine, to check the credentials.
 *
 * @throws EngineError `unauthorized` if the registry rejects the credentials; any other reason if the registry or
 * the engine cannot be reached. No error contains the password, even if the engine repeats it.
 */
export async function checkSignIn(
  connection: Connection,
  { username, password, serveraddress }: SignInRequest,
  signal?: AbortSignal,
): Promise<SignInCheck> {
  const body = { username, password: password.reveal(), serveraddress };
  try {
    const request = { method: 'POST', path: '/auth', body, limitMs: LIMIT_MS, signal } as const;
    return readAnswer((await connection.send(request)).text, connection.endpoint.url);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const { engineMessage: words = '', status } = error;
    if (words.includes(NO_TLS)) return { isChecked: false };
    // Without the engine's message, which may repeat the credentials.
    if (error.reason === 'unauthorized' || UNKNOWN.test(words))
      throw new EngineError('unauthorized', { operation: OPERATION, status });
    throw hideErrorSecrets(error, { username, password });
  }
}

/** The credentials to check, and their registry. */
interface SignInRequest {
  readonly username: string;
  readonly password: Secret;
  /** Registry key; see `RegistryAuth`. */
  readonly serveraddress: string;
}

export interface SignInCheck {
  /** False if this engine cannot contact this registry. */
  readonly isChecked: boolean;
  /** Replaces the password from now on. */
  readonly identityToken?: Secret;
}

const OPERATION = 'POST /auth';
/** Time limit in milliseconds, for a distant registry behind a distant engine. */
const LIMIT_MS = 60_000;

/** Podman checks credentials over TLS only, even for a registry that it pulls from without TLS. */
const NO_TLS = 'server gave HTTP response to HTTPS client';
const UNKNOWN = /\b401\b|unauthori[sz]ed|incorrect username or password|no basic auth/i;

/** Reads the response. An invalid one is not put into the error, because it can contain a token. */
function readAnswer(text: string, endpoint: string): SignInCheck {
  const answer = tryParseJson(text);
  if (answer === undefined) throw new EngineError('badAnswer', { endpoint, operation: OPERATION });
  const token = asText(asRecord(answer)['IdentityToken']);
  return { isChecked: true, ...(token !== '' && { identityToken: new Secret(token) }) };
}
