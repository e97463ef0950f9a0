/** The credentials for one registry, as the engine wants to hear them: in one request header and nowhere else. */

import { reveal, type Secret } from '../secret.ts';

/** Who asks a registry. Either a name with a password, or a token that stands for both. */
export interface RegistryAuth {
  readonly username?: string;
  readonly password?: Secret | string;
  /** The registry's key, as the command line writes it: `host[:port]`, or the old address of Docker Hub. */
  readonly serveraddress?: string;
  readonly identitytoken?: Secret | string;
  readonly registrytoken?: Secret | string;
}

/** What asks a registry for nothing but what is public; some requests must bring a header nevertheless. */
export const ANONYMOUS: RegistryAuth = {};

/** The value of the header `X-Registry-Auth`: engines ignore it where its padding is left out. */
export function encodeRegistryAuth(auth: RegistryAuth): string {
  const { username, serveraddress } = auth;
  const [password, identitytoken, registrytoken] = [
    revealed(auth.password),
    revealed(auth.identitytoken),
    revealed(auth.registrytoken),
  ];
  const known = { username, password, serveraddress, identitytoken, registrytoken };
  return Buffer.from(JSON.stringify(known))
    .toString('base64')
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}

function revealed(secret: Secret | string | undefined): string | undefined {
  return secret === undefined ? undefined : reveal(secret);
}
