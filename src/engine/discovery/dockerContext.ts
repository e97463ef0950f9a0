import { createHash } from 'node:crypto';

import { parseEndpoint, type Endpoint, type Machine, type TlsMaterial } from '../http/endpoint.ts';
import { EngineError, failedWith } from '../errors.ts';
import { asRecord, asText } from '../wire/wire.ts';
import { readField, readJsonFile } from './dockerConfig.ts';
import { filesOn } from './nodeFiles.ts';
import { dockerFolder, joinPathOn, pathBelow } from './folders.ts';
import { readTlsFolder } from './readTlsFolder.ts';

interface DockerContext {
  /** The name of its folder if the file has no name. */
  readonly name: string;
  /** The contents of its file that concern its endpoint; empty if the file is invalid. */
  readonly record: Readonly<Record<string, unknown>>;
}

export interface DockerContexts {
  /** The folder with one folder per context; undefined if the home folder is unknown. */
  readonly folder: string | undefined;
  readonly isThere: boolean;
  /** All except the default one, by name, `ctx2` before `ctx10`, including invalid ones. */
  readonly all: readonly DockerContext[];
}

/** The context that is not in the store. It is defined by variables and platform. */
export const DEFAULT_CONTEXT = 'default';

/** The maximum depth of nested folders; also ends a loop of links. */
const DEEPEST = 3;
const MOST_CONTEXTS = 1_000;
/** The most names that are looked at in all folders together. */
const MOST_LOOKS = 10_000;

function contextsFolder(machine: Machine): string | undefined {
  return pathBelow(machine, dockerFolder(machine), 'contexts', 'meta');
}

/** Reads all contexts. Never rejects. */
export async function readContexts(machine: Machine): Promise<DockerContexts> {
  const folder = contextsFolder(machine);
  if (folder === undefined || (await filesOn(machine).kindOf(folder)) !== 'folder')
    return { folder, isThere: false, all: [] };
  const found = await contextsBelow(machine, folder, { left: MOST_LOOKS });
  const { compare } = new Intl.Collator('en', { numeric: true });
  const named = found.filter(({ name }) => name !== DEFAULT_CONTEXT);
  return { folder, isThere: true, all: named.sort((a, b) => compare(a.name, b.name)) };
}

/**
 * Returns the endpoint of a context of the store.
 *
 * @throws EngineError `contextMissing` if there is no such context; `contextBroken` if it has no usable address;
 *   `certificateUnusable` if its certificates cannot be read. Each has the name as `engineMessage`.
 */
export async function contextEndpoint(name: string, machine: Machine): Promise<Endpoint> {
  const root = contextsFolder(machine);
  if (root === undefined) throw new EngineError('contextMissing', { engineMessage: name });
  const file = joinPathOn(machine, root, idOf(name), 'meta.json');
  const { result, record } = await readJsonFile(machine, file);
  if (result === 'absent') throw new EngineError('contextMissing', { engineMessage: name });
  return endpointIn({ name, record }, machine);
}

/** Like {@link contextEndpoint}, for a context whose file has already been read. */
export async function endpointIn(context: DockerContext, machine: Machine): Promise<Endpoint> {
  const { name, record } = context;
  const docker = readField(asRecord(readField(record, 'Endpoints')), 'docker');
  const host = asText(readField(asRecord(docker), 'Host')).trim();
  if (host === '') throw broken(name);
  const isUnchecked = readField(asRecord(docker), 'SkipTLSVerify') === true;
  try {
    const plain = parseEndpoint(host, 'context');
    if (plain.transport.kind !== 'tcp') return plain;
    return parseEndpoint(host, 'context', await tlsOf(name, isUnchecked, machine));
  } catch (error) {
    if (!failedWith(error, 'badEndpoint')) throw error;
    throw broken(name, error);
  }
}

/**
 * Returns the TLS options of a context: it uses TLS if it has a TLS folder, even an empty one, or if it skips the
 * verification.
 */
async function tlsOf(
  name: string,
  isUnchecked: boolean,
  machine: Machine,
): Promise<TlsMaterial | undefined> {
  const parts = [dockerFolder(machine) ?? '', 'contexts', 'tls', idOf(name), 'docker'];
  const folder = joinPathOn(machine, ...parts);
  const hasFiles = (await filesOn(machine).kindOf(folder)) === 'folder';
  if (!hasFiles) return isUnchecked ? { verify: false } : undefined;
  return readTlsFolder(machine, folder, { name, verify: !isUnchecked, isCaAlone: true });
}

async function contextsBelow(
  machine: Machine,
  folder: string,
  looks: { left: number },
  depth = 0,
): Promise<DockerContext[]> {
  const names = [...(await filesOn(machine).list(folder))].sort();
  const found: DockerContext[] = [];
  for (const name of names) {
    if (found.length >= MOST_CONTEXTS || looks.left-- <= 0) break;
    const below = joinPathOn(machine, folder, name);
    if ((await filesOn(machine).kindOf(below)) !== 'folder') continue;
    const { result, record } = await readJsonFile(machine, joinPathOn(machine, below, 'meta.json'));
    const isThere = result !== 'absent';
    if (isThere)
      found.push({ name: asText(readField(record, 'Name')) || name, record: shaped(record) });
    if (depth < DEEPEST) found.push(...(await contextsBelow(machine, below, looks, depth + 1)));
  }
  return found.slice(0, MOST_CONTEXTS);
}

/** Returns only what an endpoint is read from: the file may have megabytes. */
function shaped(record: DockerContext['record']): DockerContext['record'] {
  const docker = asRecord(readField(asRecord(readField(record, 'Endpoints')), 'docker'));
  const Host = asText(readField(docker, 'Host'));
  const SkipTLSVerify = readField(docker, 'SkipTLSVerify') === true;
  return { Endpoints: { docker: { Host, SkipTLSVerify } } };
}

/** Returns the folder name of a context in the store. */
function idOf(name: string): string {
  return createHash('sha256').update(name, 'utf8').digest('hex');
}

/** @param cause the EngineError `badEndpoint` if the context has an address; undefined if it has none. */
function broken(name: string, cause?: unknown): EngineError {
  return new EngineError('contextBroken', { engineMessage: name, cause });
}
