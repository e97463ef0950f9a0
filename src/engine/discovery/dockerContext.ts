import { createHash } from 'node:crypto';

import { parseEndpoint, type Endpoint, type Machine, type TlsMaterial } from './endpoint.ts';
import { EngineError, failedWith } from '../errors.ts';
import { asRecord, asText } from '../wire.ts';
import { readField, readJsonFile } from './dockerConfig.ts';
import { filesOf } from './nodeFiles.ts';
import { dockerFolder, joinPathOn } from './folders.ts';
import { readTlsFolder } from './readTlsFolder.ts';

/** One context of the store. */
export interface DockerContext {
  /** Where its file names none: the name of its folder. */
  readonly name: string;
  /** What is in its file; undefined where that is damaged. */
  readonly record: Readonly<Record<string, unknown>> | undefined;
}

/** The context that is not in the store: what the variables and the platform say. */
export const DEFAULT_CONTEXT = 'default';

/** Folders lie one below the other at most so deep; a circle of links ends there. */
const DEEPEST = 3;
const MOST_CONTEXTS = 1_000;

/** The folder that has one folder for each context. Undefined where no home is known. */
export function contextsFolder(machine: Machine): string | undefined {
  const folder = dockerFolder(machine);
  return folder === undefined ? undefined : joinPathOn(machine, folder, 'contexts', 'meta');
}

/** Every context but the default one, by name, `ctx2` before `ctx10`. A damaged one is there, too. Never rejects. */
export async function listContexts(machine: Machine): Promise<readonly DockerContext[]> {
  const root = contextsFolder(machine);
  if (root === undefined) return [];
  const found = await contextsBelow(machine, root, 0);
  const { compare } = new Intl.Collator('en', { numeric: true });
  return found
    .filter(({ name }) => name !== DEFAULT_CONTEXT)
    .sort((a, b) => compare(a.name, b.name));
}

/**
 * Where a context of the store leads to.
 *
 * @throws EngineError `contextMissing` it is not there; `contextBroken` it says nothing we can use;
 * `certificateUnusable` its certificates cannot be read. All name it in `engineMessage`.
 */
export async function contextEndpoint(name: string, machine: Machine): Promise<Endpoint> {
  const root = contextsFolder(machine);
  if (root === undefined) throw new EngineError('contextMissing', { engineMessage: name });
  const file = joinPathOn(machine, root, idOf(name), 'meta.json');
  const { result, record } = await readJsonFile(machine, file);
  if (result === 'absent') throw new EngineError('contextMissing', { engineMessage: name });
  return endpointIn({ name, record: result === 'found' ? record : undefined }, machine);
}

/** Like {@link contextEndpoint}, for a context whose file was read already. */
export async function endpointIn(context: DockerContext, machine: Machine): Promise<Endpoint> {
  const { name, record } = context;
  const docker = readField(asRecord(readField(record ?? {}, 'Endpoints')), 'docker');
  const host = asText(readField(asRecord(docker), 'Host')).trim();
  if (host === '') throw broken(name, 'It has no address of a Docker engine');
  const isUnchecked = readField(asRecord(docker), 'SkipTLSVerify') === true;
  try {
    const plain = parseEndpoint(host, 'context');
    if (plain.transport.kind !== 'tcp') return plain;
    return parseEndpoint(host, 'context', await tlsOf(name, isUnchecked, machine));
  } catch (error) {
    if (!failedWith(error, 'badEndpoint')) throw error;
    throw broken(name, 'Its address cannot be read', error);
  }
}

/** Encrypted is what has a folder for files, even an empty one, or is told not to look at certificates. */
async function tlsOf(
  name: string,
  isUnchecked: boolean,
  machine: Machine,
): Promise<TlsMaterial | undefined> {
  const parts = [dockerFolder(machine) ?? '', 'contexts', 'tls', idOf(name), 'docker'];
  const folder = joinPathOn(machine, ...parts);
  const hasFiles = (await filesOf(machine).kindOf(folder)) === 'folder';
  if (!hasFiles) return isUnchecked ? { verify: false } : undefined;
  return readTlsFolder(machine, folder, { name, verify: !isUnchecked, isCaAlone: true });
}

async function contextsBelow(
  machine: Machine,
  folder: string,
  depth: number,
): Promise<DockerContext[]> {
  const names = [...(await filesOf(machine).list(folder))].sort();
  const found: DockerContext[] = [];
  for (const name of names) {
    if (found.length >= MOST_CONTEXTS) break;
    const below = joinPathOn(machine, folder, name);
    if ((await filesOf(machine).kindOf(below)) !== 'folder') continue;
    const { result, record } = await readJsonFile(machine, joinPathOn(machine, below, 'meta.json'));
    if (result === 'found') {
      found.push({ name: asText(readField(record, 'Name')) || name, record });
    } else if (result === 'damaged') {
      found.push({ name, record: undefined });
    }
    if (depth < DEEPEST) found.push(...(await contextsBelow(machine, below, depth + 1)));
  }
  return found.slice(0, MOST_CONTEXTS);
}

/** The store's folder for a name. */
function idOf(name: string): string {
  return createHash('sha256').update(name, 'utf8').digest('hex');
}

function broken(name: string, what: string, cause?: unknown): EngineError {
  return new EngineError('contextBroken', {
    engineMessage: name,
    cause: new Error(what, { cause }),
  });
}
