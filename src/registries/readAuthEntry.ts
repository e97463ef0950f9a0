import type { RegistryAuth } from '../engine/registries/registryAuth.ts';
import { Secret } from '../engine/secret.ts';
import { asRecord, asText } from '../engine/wire.ts';

/**
 * Reads one entry of `auths`.
 *
 * @param serveraddress what the engine is told the credentials are for.
 * @returns the credentials; `empty` where a helper program keeps them; `damaged` where it makes no sense.
 */
export function readAuthEntry(
  value: unknown,
  serveraddress: string,
): RegistryAuth | 'empty' | 'damaged' {
  const entry = asRecord(value);
  const token = tokenOf(entry);
  if (token) return { ...token, serveraddress };
  const encoded = asText(entry['auth']);
  if (encoded !== '') {
    const pair = decodePair(encoded);
    return pair ? { ...pair, serveraddress } : 'damaged';
  }
  const [username, password] = [asText(entry['username']), asText(entry['password'])];
  if (username !== '' && password !== '') {
    return { username, password: new Secret(password), serveraddress };
  }
  return Object.keys(entry).length === 0 ? 'empty' : 'damaged';
}

function tokenOf(entry: Readonly<Record<string, unknown>>): RegistryAuth | undefined {
  const [identity, registry] = [asText(entry['identitytoken']), asText(entry['registrytoken'])];
  if (identity !== '') return { identitytoken: new Secret(identity) };
  return registry === '' ? undefined : { registrytoken: new Secret(registry) };
}

/** `user:password` in standard Base64; a password may have colons in it, a name may not. */
function decodePair(encoded: string): { username: string; password: Secret } | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8').replaceAll('\0', '');
  const colon = text.indexOf(':');
  if (colon < 1) return undefined;
  return { username: text.slice(0, colon), password: new Secret(text.slice(colon + 1)) };
}
