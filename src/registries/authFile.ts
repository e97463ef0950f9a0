/** The files in which the Docker CLI and Podman keep credentials or name a credential helper. */

import type { RegistryAuth } from '../engine/wire/registryAuth.ts';
import type { Machine } from '../engine/http/endpoint.ts';
import { readField, readJsonFile } from '../engine/discovery/dockerConfig.ts';
import {
  dockerFolder,
  inHome,
  isAbsoluteOn,
  joinPathOn,
  pathBelow,
  podmanFolder,
  runtimeFolders,
  readVariable,
} from '../engine/discovery/folders.ts';
import { asRecord, asText } from '../engine/wire/wire.ts';
import { Secret } from '../base/secret.ts';
import {
  DOCKER_HUB,
  DOCKER_HUB_KEY,
  registryKey,
  registryFromKey,
  type RegistryRef,
} from './registryRef.ts';

/** A credentials file and its format. */
export interface AuthFile {
  readonly form: 'config.json' | 'auth.json';
  readonly path: string;
}

/** The result of looking up a registry in a credentials file. */
export type AuthFileResult =
  | { readonly kind: 'found'; readonly auth: RegistryAuth }
  /** A credential helper has the credentials under this key; `otherwise` counts if its program is missing. */
  | {
      readonly kind: 'helper';
      readonly helper: string;
      readonly key: string;
      readonly otherwise?: AuthFileResult;
    }
  | { readonly kind: 'none' | 'damaged' };

/** Returns the credentials files to check, in order of precedence. They may not exist. */
export function authFiles(machine: Machine): readonly AuthFile[] {
  const docker = pathBelow(machine, dockerFolder(machine), 'config.json');
  const paths = podmanPaths(machine).map((path) => ({ form: 'auth.json' as const, path }));
  return docker === undefined ? paths : [{ form: 'config.json', path: docker }, ...paths];
}

/** Looks up a registry in one credentials file. Never rejects. */
export async function readAuthFile(
  machine: Machine,
  { form, path }: AuthFile,
  ref: RegistryRef,
): Promise<AuthFileResult> {
  const { result, record } = await readJsonFile(machine, path);
  if (result !== 'found') return { kind: result === 'absent' ? 'none' : 'damaged' };
  return form === 'config.json' ? askDocker(record, ref) : askPodman(record, ref);
}

/** Returns the credential helper that the Docker configuration names for a registry, to store new credentials in. */
export async function configuredHelper(
  machine: Machine,
  registry: string,
): Promise<{ readonly helper: string; readonly file: string } | undefined> {
  const file = authFiles(machine).find(({ form }) => form === 'config.json')?.path;
  if (file === undefined) return undefined;
  const { record } = await readJsonFile(machine, file);
  const helper = dockerHelper(record, registry);
  return helper === '' ? undefined : { helper, file };
}

type Config = Readonly<Record<string, unknown>>;

/** If a helper is configured, the Docker CLI looks at `auths` only if its program is missing. */
function askDocker(config: Config, { registry }: RegistryRef): AuthFileResult {
  const key = registryKey(registry);
  const helper = dockerHelper(config, registry);
  const inFile = findInAuths(asRecord(readField(config, 'auths')), key, registry);
  return helper === '' ? inFile : { kind: 'helper', helper, key, otherwise: inFile };
}

function dockerHelper(config: Config, registry: string): string {
  const helpers = asRecord(readField(config, 'credHelpers'));
  const key = findKey(Object.keys(helpers), registryKey(registry), registry);
  return asText(key === undefined ? readField(config, 'credsStore') : helpers[key]);
}

/** Podman keys may include a path within the registry. The longest match wins. */
function askPodman(config: Config, { registry, repository }: RegistryRef): AuthFileResult {
  const helpers = asRecord(config['credHelpers']);
  const helper = Object.hasOwn(helpers, registry) ? asText(helpers[registry]) : '';
  if (helper !== '') return { kind: 'helper', helper, key: registry };
  const auths = asRecord(config['auths']);
  const parts = repository?.split('/') ?? [];
  const names = parts.map((_, index) => [registry, ...parts.slice(0, parts.length - index)]);
  const key = names.map((name) => name.join('/')).find((name) => Object.hasOwn(auths, name));
  if (key === undefined) return findInAuths(auths, registry, registry, isWholeRegistry);
  return readAuthEntry(auths[key], registryKey(registry));
}

/** Returns whether a key covers the whole registry. A key with a path but no scheme covers only a part of it. */
function isWholeRegistry(key: string): boolean {
  return /^https?:\/\//.test(key) || !key.replace(/\/$/, '').includes('/');
}

/** Looks in `auths` for the exact key, then for an older form of it. */
export function findInAuths(
  auths: Config,
  exact: string,
  registry: string,
  counts: (key: string) => boolean = () => true,
): AuthFileResult {
  const key = findKey(Object.keys(auths).filter(counts), exact, registry);
  if (key === undefined) return { kind: 'none' };
  return readAuthEntry(auths[key], key === DOCKER_HUB ? DOCKER_HUB_KEY : key);
}

function findKey(keys: readonly string[], exact: string, registry: string): string | undefined {
  return keys.includes(exact) ? exact : keys.find((key) => registryFromKey(key) === registry);
}

/** If `REGISTRY_AUTH_FILE` is set, no other Podman file is used. */
function podmanPaths(machine: Machine): readonly string[] {
  const fromVariable = readVariable(machine, 'REGISTRY_AUTH_FILE');
  if (fromVariable !== undefined) return isAbsoluteOn(machine, fromVariable) ? [fromVariable] : [];
  const below = ['containers', 'auth.json'];
  const isLinux = machine.platform === 'linux';
  const config = isLinux ? podmanFolder(machine) : inHome(machine, '.config', 'containers');
  return [
    ...(isLinux ? runtimeFolders(machine).map((one) => joinPathOn(machine, one, ...below)) : []),
    ...(config === undefined ? [] : [joinPathOn(machine, config, 'auth.json')]),
  ];
}

/**
 * Reads one entry of `auths`.
 *
 * @param serveraddress the server address sent to the engine with the credentials.
 * @returns the credentials; `none` if the entry is empty because a credential helper has them.
 */
function readAuthEntry(value: unknown, serveraddress: string): AuthFileResult {
  const entry = asRecord(value);
  if (Object.keys(entry).length === 0) return { kind: 'none' };
  const encoded = asText(entry['auth']);
  const auth = tokenOf(entry) ?? (encoded === '' ? plainPair(entry) : decodePair(encoded));
  return auth ? { kind: 'found', auth: { ...auth, serveraddress } } : { kind: 'damaged' };
}

function plainPair(entry: Config): RegistryAuth | undefined {
  const username = asText(entry['username']);
  const password = asText(entry['password']);
  if (username === '' || password === '') return undefined;
  return { username, password: new Secret(password) };
}

function tokenOf(entry: Config): RegistryAuth | undefined {
  const identity = asText(entry['identitytoken']);
  const registry = asText(entry['registrytoken']);
  if (identity !== '') return { identitytoken: new Secret(identity) };
  return registry === '' ? undefined : { registrytoken: new Secret(registry) };
}

/**
 * Decodes `user:password` from standard Base64, which can be wrapped into lines. A password may contain colons, a user
 * name may not.
 */
function decodePair(wrapped: string): RegistryAuth | undefined {
  const encoded = wrapped.replace(/[\r\n]/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8').replaceAll('\0', '');
  const colon = text.indexOf(':');
  if (colon < 1) return undefined;
  return { username: text.slice(0, colon), password: new Secret(text.slice(colon + 1)) };
}
