/** Credentials for a registry, as a request header. */

import { reveal, type Secret } from '../../base/secret.ts';

/** Credentials for a registry: a user name with a password, or a token that replaces both. */
export interface RegistryAuth {
  readonly username?: string;
  readonly password?: Secret | string;
  /** Registry key as the Docker CLI writes it: `host[:port]`, or the legacy URL of Docker Hub. */
  readonly serveraddress?: string;
  readonly identitytoken?: Secret | string;
  readonly registrytoken?: Secret | string;
}

/** No credentials, for public images. Some requests need the header even so. */
export const ANONYMOUS: RegistryAuth = {};

/** Returns the headers with the credentials that an engine passes on to a registry. */
export function authHeaders(auth: RegistryAuth | undefined): Readonly<Record<string, string>> {
  return auth ? { 'X-Registry-Auth': encodeRegistryAuth(auth) } : {};
}

/** Encodes the value of the header `X-Registry-Auth`. The padding stays, because engines ignore a value without it. */
export function encodeRegistryAuth(auth: RegistryAuth): string {
  const { username, serveraddress } = auth;
  const password = auth.password && reveal(auth.password);
  const identitytoken = auth.identitytoken && reveal(auth.identitytoken);
  const registrytoken = auth.registrytoken && reveal(auth.registrytoken);
  const known = { username, password, serveraddress, identitytoken, registrytoken };
  return Buffer.from(JSON.stringify(known))
    .toString('base64')
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}
