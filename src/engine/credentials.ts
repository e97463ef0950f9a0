/**
 * The credentials a person has stored for one registry in plain text, as the engine wants to hear them. What
 * is read here goes into one request header and nowhere else: no reason and no error has a secret in it.
 */

import { join } from 'node:path';

import { asRecord, asText } from './wire.ts';

/** Who asks a registry. Either a name with a password, or a token that stands for both. */
export interface RegistryAuth {
  readonly username?: string;
  readonly password?: string;
  readonly serveraddress?: string;
  readonly identitytoken?: string;
  readonly registrytoken?: string;
}

/** The machine's side of a look-up, so that tests need no home folder. */
export interface ConfigSource {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** Rejects where there is no such file. */
  readonly readFile: (path: string) => Promise<string>;
}

/**
 * Why nothing was found: `noFile` none, or none we may read; `damaged` the file or the entry makes no sense;
 * `inHelper` the entry is empty, for a helper program keeps the secret; `noEntry` this registry is not in it.
 */
export type NoCredentials = 'noFile' | 'damaged' | 'inHelper' | 'noEntry';

/** What a look-up gives. */
export type StoredCredentials =
  | { readonly auth: RegistryAuth }
  | { readonly auth?: undefined; readonly reason: NoCredentials; readonly file: string };

const DOCKER_HUB = 'docker.io';
const DOCKER_HUB_KEY = 'https://index.docker.io/v1/';

/** Looks a registry (`host` or `host:port`) up in the person's `config.json`. Never rejects. */
export async function findCredentials(
  registry: string,
  source: ConfigSource,
): Promise<StoredCredentials> {
  const folder = source.env['DOCKER_CONFIG'] ?? '';
  const file = join(folder === '' ? join(source.home, '.docker') : folder, 'config.json');
  let text: string;
  try {
    text = await source.readFile(file);
  } catch {
    return { reason: 'noFile', file };
  }
  const found = readCredentials(text, registry);
  return typeof found === 'string' ? { reason: found, file } : { auth: found };
}

/** The value of the header `X-Registry-Auth`: engines ignore it where its padding is left out. */
export function encodeRegistryAuth(auth: RegistryAuth): string {
  const { username, password, serveraddress, identitytoken, registrytoken } = auth;
  const known = { username, password, serveraddress, identitytoken, registrytoken };
  return Buffer.from(JSON.stringify(known))
    .toString('base64')
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}

function readCredentials(text: string, registry: string): RegistryAuth | NoCredentials {
  let config: unknown;
  try {
    config = JSON.parse(text);
  } catch {
    return 'damaged';
  }
  const auths = asRecord(asRecord(config)['auths']);
  const key = findKey(Object.keys(auths), registry);
  return key === undefined ? 'noEntry' : readEntry(auths[key], key);
}

/** The registry's own key, else an older spelling of it with a scheme or a path. */
function findKey(keys: readonly string[], registry: string): string | undefined {
  const exact = registry === DOCKER_HUB ? DOCKER_HUB_KEY : registry;
  if (keys.includes(exact)) return exact;
  return keys.find((key) => hostOf(key) === registry);
}

function hostOf(key: string): string | undefined {
  // Tokens of Docker Desktop, kept beside the entry of Docker Hub under keys that look like one.
  if (/\/(?:access|refresh)-token$/.test(key)) return undefined;
  const host = key.replace(/^https?:\/\//, '').replace(/\/.*$/s, '');
  return host === `index.${DOCKER_HUB}` ? DOCKER_HUB : host;
}

function readEntry(value: unknown, serveraddress: string): RegistryAuth | NoCredentials {
  const entry = asRecord(value);
  const token = tokenOf(entry);
  if (token) return { ...token, serveraddress };
  const encoded = asText(entry['auth']);
  if (encoded !== '') {
    const pair = decodePair(encoded);
    return pair ? { ...pair, serveraddress } : 'damaged';
  }
  const [username, password] = [asText(entry['username']), asText(entry['password'])];
  if (username !== '' && password !== '') return { username, password, serveraddress };
  return Object.keys(entry).length === 0 ? 'inHelper' : 'damaged';
}

function tokenOf(entry: Readonly<Record<string, unknown>>): RegistryAuth | undefined {
  const [identity, registry] = [asText(entry['identitytoken']), asText(entry['registrytoken'])];
  if (identity !== '') return { identitytoken: identity };
  return registry === '' ? undefined : { registrytoken: registry };
}

/** `user:password` in standard Base64; a password may have colons in it, a name may not. */
function decodePair(encoded: string): { username: string; password: string } | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8').replaceAll('\0', '');
  const colon = text.indexOf(':');
  if (colon < 1) return undefined;
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
}
