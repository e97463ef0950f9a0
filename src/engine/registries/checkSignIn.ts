/** Asking a registry, by way of an engine, whether it knows somebody: `POST /auth`. */

import type { Connection } from '../http/connection.ts';
import { EngineError, failedWith } from '../errors.ts';
import { hideErrorSecrets } from '../http/hideSecrets.ts';
import { Secret } from '../secret.ts';
import { asRecord, asText } from '../wire.ts';

/**
 * Has the engine sign somebody in, to see whether the registry knows them.
 *
 * @throws EngineError `unauthorized` where the registry does not; any other for a registry or an engine that
 * cannot be asked. No error has the password in it, even where the engine repeats it.
 */
export async function checkSignIn(
  connection: Connection,
  { username, password, serveraddress }: SignInRequest,
  signal?: AbortSignal,
): Promise<SignInCheck> {
  const body = { username, password: password.reveal(), serveraddress };
  try {
    const reply = await connection.send({
      method: 'POST',
      path: '/auth',
      body,
      limitMs: LIMIT_MS,
      signal,
    });
    return readAnswer(reply.text, connection.endpoint.url);
  } catch (error) {
    const words = error instanceof EngineError ? (error.engineMessage ?? '') : '';
    if (words.includes(NO_TLS)) return { isChecked: false };
    if (failedWith(error, 'unauthorized') || UNKNOWN.test(words)) throw refused(error);
    throw hideErrorSecrets(error, { username, password });
  }
}

/** Who wants to sign in where. */
export interface SignInRequest {
  readonly username: string;
  readonly password: Secret;
  /** The registry's key; see `RegistryAuth`. */
  readonly serveraddress: string;
}

/** What a registry said of somebody. */
export interface SignInCheck {
  /** False where this engine has no way to ask this registry. */
  readonly isChecked: boolean;
  /** Stands for the person from now on, in place of the password. */
  readonly identityToken?: Secret;
}

const OPERATION = 'POST /auth';
/** A registry that is far away, behind an engine that is. */
const LIMIT_MS = 60_000;

/** Podman asks by TLS alone, whatever it is told of the registry for its pulls. */
const NO_TLS = 'server gave HTTP response to HTTPS client';
const UNKNOWN = /\b401\b|unauthori[sz]ed|incorrect username or password|no basic auth/i;

/** Without the engine's words, for they might repeat what was asked. */
function refused(error: unknown): EngineError {
  const status = error instanceof EngineError ? error.status : undefined;
  return new EngineError('unauthorized', { operation: OPERATION, status });
}

/** Nothing of a damaged answer is kept: a token may be in it. */
function readAnswer(text: string, endpoint: string): SignInCheck {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new EngineError('badAnswer', { endpoint, operation: OPERATION });
  }
  const token = asText(asRecord(answer)['IdentityToken']);
  return { isChecked: true, ...(token !== '' && { identityToken: new Secret(token) }) };
}
