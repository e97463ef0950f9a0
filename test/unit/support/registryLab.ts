import { Consent } from '../../../src/commands/credentials/consent.ts';
import { RegistryAccess } from '../../../src/commands/credentials/registryAccess.ts';
import { SignInService } from '../../../src/commands/credentials/signInService.ts';
import type { Machine } from '../../../src/engine/http/endpoint.ts';
import type { CredentialHelpers } from '../../../src/registries/credentialHelpers.ts';
import { findCredentials } from '../../../src/registries/findCredentials.ts';
import { SignIns } from '../../../src/registries/signIns.ts';
import { machineWith } from '../engine/discovery/fakeFiles.ts';
import { fakeMemento, openCommandLab, type CommandLab } from './commandLab.ts';
import { json, type Answer, type SeenRequest } from './fakeEngine.ts';
import type { ScriptedUi } from './scriptedUi.ts';

/** A registry that only accepts {@link USER}. */
export const LOCKED = 'registry.example.org:5000';
export const USER = { username: 'alice', password: 'pa:ss' };
export const IMAGE = `sha256:${'a'.repeat(64)}`;

/** A lab for commands that access registries through the engine. */
export interface RegistryLab extends CommandLab {
  /** The contents of secret storage. */
  readonly secrets: ReadonlyMap<string, string>;
  /** The secrets in the credential helpers, by helper and registry, for example `ours r.io`. */
  readonly helped: ReadonlyMap<string, string>;
  /** Changes the credential helper that the Docker configuration names. `broken` stores nothing, `same` has the store of `ours`. */
  nameHelper(helper: string): void;
  /** The log lines about credentials. */
  readonly logged: readonly string[];
  /** Returns the requests for a path. */
  asked(path: string): readonly SeenRequest[];
}

/**
 * Opens a lab that looks up credentials as a window does, on a machine whose Docker configuration names an
 * empty credential helper. Close it in `afterEach`.
 *
 * @param answer the responses of the engine. By default it pulls any image, from {@link LOCKED} only for
 * {@link USER}.
 */
export async function openRegistryLab(answer: Answer = pullsAny): Promise<RegistryLab> {
  const lab = await openCommandLab(answer);
  const secrets = new Map<string, string>();
  const helped = new Map<string, string>();
  const logged: string[] = [];
  const files: Record<string, string> = {};
  const nameHelper = (helper: string): void => {
    files['/home/me/.docker/config.json'] = JSON.stringify({ credsStore: helper });
  };
  nameHelper('ours');
  const machine = machineWith(files, {}, { home: '/home/me' });
  const stores = { machine, secrets, helped };
  const registries = accessOf(lab.ui, stores, (line) => void logged.push(line));
  Object.assign(lab.context.window, { registries: () => Promise.resolve(registries) });
  const asked = (path: string): readonly SeenRequest[] =>
    lab.engine.seen.filter((one) => one.path === path);
  return Object.assign(lab, { secrets, helped, nameHelper, logged, asked });
}

/** Decodes the credentials of a registry request; undefined if there are none. */
export function whoAsks(header: unknown): unknown {
  if (typeof header !== 'string') return undefined;
  return JSON.parse(Buffer.from(header, 'base64url').toString());
}

/** Pulls any image, and accepts only {@link USER} for sign-in. */
export const pullsAny: Answer = ({ path, query, headers, body }, response) => {
  if (path === '/auth') {
    const { username, password } = JSON.parse(body) as typeof USER;
    if (isUser({ username, password })) json(response, 200, { Status: 'Login Succeeded' });
    else json(response, 401, { message: 'unauthorized: incorrect username or password' });
  } else if (path === '/images/create') {
    const isLocked = query.get('fromImage')?.startsWith(`${LOCKED}/`);
    if (!isLocked || isUser(whoAsks(headers['x-registry-auth'])))
      json(response, 200, { status: 'Status: Downloaded newer image' });
    else json(response, 500, { message: 'no basic auth credentials' });
  } else if (path === '/images/json') json(response, 200, []);
  else json(response, 200, { Id: IMAGE, RepoTags: [] });
};

function isUser(who: unknown): boolean {
  const { username, password } = (who ?? {}) as Partial<typeof USER>;
  return username === USER.username && password === USER.password;
}

/** The helper `same` has the store of `ours`. */
function storeOf(helper: string): string {
  return helper === 'same' ? 'ours' : helper;
}

type Credentials = Parameters<CredentialHelpers['store']>[2];

/** Where credentials are stored in a lab. */
interface Stores {
  readonly machine: Machine;
  readonly secrets: Map<string, string>;
  readonly helped: Map<string, string>;
}

function accessOf(
  ui: ScriptedUi,
  { machine, secrets, helped }: Stores,
  write: (line: string) => void,
): RegistryAccess {
  const consent = new Consent(fakeMemento(), ui);
  const signIns = new SignIns({
    get: (key) => Promise.resolve(secrets.get(key)),
    store: (key, value) => Promise.resolve(void secrets.set(key, value)),
    delete: (key) => Promise.resolve(void secrets.delete(key)),
    keys: () => Promise.resolve([...secrets.keys()]),
  });
  const helpers = {
    get: () => Promise.resolve({ kind: 'notFound' }),
    store: (name: string, key: string, { secret }: Credentials) => {
      if (name === 'broken') return Promise.resolve('missing');
      helped.set(`${storeOf(name)} ${key}`, secret.reveal());
      return Promise.resolve(undefined);
    },
    erase: (name: string, key: string) =>
      Promise.resolve(helped.delete(`${storeOf(name)} ${key}`) ? undefined : 'missing'),
  } as unknown as CredentialHelpers;
  const signIn = (registry: string) => signIns.find(registry);
  return new RegistryAccess(ui, {
    find: (ref, signal) => findCredentials(ref, { machine, helpers, signIn }, signal),
    signInService: new SignInService({ machine, signIns, helpers, consent }),
    ...{ consent, log: { info: write, warn: write } },
  });
}
