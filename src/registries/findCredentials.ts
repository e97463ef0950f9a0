import type { RegistryAuth } from '../engine/wire/registryAuth.ts';
import type { Machine } from '../engine/http/endpoint.ts';
import { readVariable } from '../engine/discovery/folders.ts';
import { asRecord } from '../engine/wire/wire.ts';
import {
  findInAuths,
  readAuthFile,
  authFiles,
  type AuthFile,
  type AuthFileResult,
} from './authFile.ts';
import { isHelperName, TOKEN_USER, type CredentialHelpers } from './credentialHelpers.ts';
import { registryKey, type RegistryRef } from './registryRef.ts';
import type { CredentialSource, FoundCredentials, CredentialProblem } from './credentialSource.ts';
import { tryParseJson } from '../engine/wire/parseJson.ts';

/**
 * Looks up the credentials of one registry where the Docker CLI and Podman do, in this order: a sign-in with
 * Gantry, the variable `DOCKER_AUTH_CONFIG`, the Docker configuration file with its helpers, the auth files
 * of Podman. The first match wins. Credentials of other registries are never used.
 *
 * @throws the signal's reason, and nothing else.
 */
export async function findCredentials(
  ref: RegistryRef,
  parts: CredentialDependencies,
  signal?: AbortSignal,
): Promise<FoundCredentials> {
  const troubles: CredentialProblem[] = [];
  const steps: readonly (() => Promise<Step>)[] = [
    () => askSignIn(ref, parts),
    () => Promise.resolve(askVariable(ref, parts.machine)),
    ...authFiles(parts.machine).map((file) => () => askOne(file, ref, parts, signal)),
  ];
  for (const step of steps) {
    const answer = await step();
    if (answer && 'auth' in answer) return { ...answer, problems: troubles };
    if (answer) troubles.push(answer);
  }
  return { source: { kind: 'none' }, problems: troubles };
}

/** The sources of a credentials lookup. */
interface CredentialDependencies {
  readonly machine: Machine;
  readonly helpers: Pick<CredentialHelpers, 'get'>;
  /** Resolves to the sign-in that Gantry stored for a registry; rejects if the secret storage fails. */
  readonly signIn: (registry: string) => Promise<RegistryAuth | undefined>;
}

const VARIABLE = 'DOCKER_AUTH_CONFIG';

type Step =
  | { readonly auth: RegistryAuth; readonly source: CredentialSource }
  | CredentialProblem
  | undefined;

async function askSignIn(
  { registry }: RegistryRef,
  { signIn }: CredentialDependencies,
): Promise<Step> {
  try {
    const auth = await signIn(registry);
    return auth && { auth, source: { kind: 'signIn' } };
  } catch {
    return { kind: 'storage' };
  }
}

function askVariable({ registry }: RegistryRef, machine: Machine): Step {
  const text = readVariable(machine, VARIABLE);
  if (text === undefined) return undefined;
  const source: CredentialSource = { kind: 'variable', name: VARIABLE };
  const config = tryParseJson(text);
  if (config === undefined) return { kind: 'damaged', where: VARIABLE };
  const auths = asRecord(asRecord(config)['auths']);
  return stepOf(findInAuths(auths, registryKey(registry), registry), source, VARIABLE);
}

async function askOne(
  file: AuthFile,
  ref: RegistryRef,
  parts: CredentialDependencies,
  signal: AbortSignal | undefined,
): Promise<Step> {
  const answer = await readAuthFile(parts.machine, file, ref);
  if (answer.kind !== 'helper') return stepOf(answer, { kind: 'file', file: file.path }, file.path);
  const { helper, key } = answer;
  const source = { kind: 'helper', helper, file: file.path } as const;
  if (!isHelperName(helper)) return { kind: 'badName', file: file.path };
  const result = await parts.helpers.get(helper, key, signal);
  if (result.kind === 'notFound') return undefined;
  if (result.kind === 'missing' && answer.otherwise?.kind === 'found')
    return stepOf(answer.otherwise, { kind: 'file', file: file.path }, file.path);
  if (result.kind !== 'found') return { ...source, kind: result.kind };
  const { username, secret } = result;
  const serveraddress = registryKey(ref.registry);
  const isToken = username === TOKEN_USER;
  const who = isToken ? { identitytoken: secret } : { username, password: secret };
  return { auth: { ...who, serveraddress }, source };
}

function stepOf(answer: AuthFileResult, source: CredentialSource, where: string): Step {
  if (answer.kind === 'found') return { auth: answer.auth, source };
  return answer.kind === 'damaged' ? { kind: 'damaged', where } : undefined;
}
