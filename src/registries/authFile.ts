/** The files in which command lines keep credentials, or name the helper that does. */

import type { RegistryAuth } from '../engine/registries/registryAuth.ts';
import type { Machine } from '../engine/discovery/endpoint.ts';
import { readField, readJsonFile } from '../engine/discovery/dockerConfig.ts';
import {
  dockerFolder,
  inHome,
  isAbsoluteOn,
  joinPathOn,
  podmanFolder,
  runtimeFolders,
  readVariable,
} from '../engine/discovery/folders.ts';
import { asRecord, asText } from '../engine/wire.ts';
import { Secret } from '../engine/secret.ts';
import {
  DOCKER_HUB,
  DOCKER_HUB_KEY,
  registryKey,
  registryFromKey,
  type RegistryRef,
} from './registryRef.ts';

/** One file, and after which it is made. */
export interface AuthFile {
  readonly form: 'config.json' | 'auth.json';
  readonly path: string;
}

/** What a file has for a registry. */
export type AuthFileResult =
  | { readonly kind: 'found'; readonly auth: RegistryAuth }
  /** A helper has it, under this key. */
  | { readonly kind: 'helper'; readonly helper: string; readonly key: string }
  | { readonly kind: 'none' | 'damaged' };

/** The files that there may be, in the order in which they are asked. */
export function authFiles(machine: Machine): readonly AuthFile[] {
  const docker = dockerFolder(machine);
  const paths = podmanPaths(machine).map((path) => ({ form: 'auth.json' as const, path }));
  if (docker === undefined) return paths;
  return [{ form: 'config.json', path: joinPathOn(machine, docker, 'config.json') }, ...paths];
}

/** Looks a registry up in one file. Never rejects. */
export async function readAuthFile(
  machine: Machine,
  { form, path }: AuthFile,
  place: RegistryRef,
): Promise<AuthFileResult> {
  const { result, record } = await readJsonFile(machine, path);
  if (result !== 'found') return { kind: result === 'absent' ? 'none' : 'damaged' };
  return form === 'config.json' ? askDocker(record, place) : askPodman(record, place);
}

/** The helper that Docker's file names for a registry, and so the one to hand a new sign-in to. */
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

/** Where a helper is named, Docker's command line asks nobody else. */
function askDocker(config: Config, { registry }: RegistryRef): AuthFileResult {
  const helper = dockerHelper(config, registry);
  if (helper !== '') return { kind: 'helper', helper, key: registryKey(registry) };
  return findInAuths(asRecord(readField(config, 'auths')), registryKey(registry), registry);
}

function dockerHelper(config: Config, registry: string): string {
  const helpers = asRecord(readField(config, 'credHelpers'));
  const key = findKey(Object.keys(helpers), registryKey(registry), registry);
  return asText(key === undefined ? readField(config, 'credsStore') : helpers[key]);
}

/** Podman's keys may go on into the registry: the one that goes the farthest counts. */
function askPodman(config: Config, { registry, repository }: RegistryRef): AuthFileResult {
  const helpers = asRecord(config['credHelpers']);
  const helper = Object.hasOwn(helpers, registry) ? asText(helpers[registry]) : '';
  if (helper !== '') return { kind: 'helper', helper, key: registry };
  const auths = asRecord(config['auths']);
  const parts = repository?.split('/') ?? [];
  const names = parts.map((_, index) => [registry, ...parts.slice(0, parts.length - index)]);
  const key = names.map((name) => name.join('/')).find((name) => Object.hasOwn(auths, name));
  if (key === undefined) return findInAuths(auths, registry, registry, isWholeRegistry);
  return answerOf(readAuthEntry(auths[key], registryKey(registry)));
}

/** A key with a path but no scheme is for a part of a registry alone. */
function isWholeRegistry(key: string): boolean {
  return /^https?:\/\//.test(key) || !key.replace(/\/$/, '').includes('/');
}

/** Looks in `auths` for the exact key, else for an older spelling of it. */
export function findInAuths(
  auths: Config,
  exact: string,
  registry: string,
  counts: (key: string) => boolean = () => true,
): AuthFileResult {
  const key = findKey(Object.keys(auths).filter(counts), exact, registry);
  if (key === undefined) return { kind: 'none' };
  return answerOf(readAuthEntry(auths[key], key === DOCKER_HUB ? DOCKER_HUB_KEY : key));
}

function findKey(keys: readonly string[], exact: string, registry: string): string | undefined {
  return keys.includes(exact) ? exact : keys.find((key) => registryFromKey(key) === registry);
}

function answerOf(entry: RegistryAuth | 'empty' | 'damaged'): AuthFileResult {
  if (entry === 'damaged') return { kind: 'damaged' };
  return entry === 'empty' ? { kind: 'none' } : { kind: 'found', auth: entry };
}

/** The variable's file stands alone. */
function podmanPaths(machine: Machine): readonly string[] {
  const told = readVariable(machine, 'REGISTRY_AUTH_FILE');
  if (told !== undefined) return isAbsoluteOn(machine, told) ? [told] : [];
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
 * @param serveraddress what the engine is told the credentials are for.
 * @returns the credentials; `empty` where a helper program keeps them; `damaged` where it makes no sense.
 */
function readAuthEntry(value: unknown, serveraddress: string): RegistryAuth | 'empty' | 'damaged' {
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
