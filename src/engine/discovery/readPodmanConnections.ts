import { parseEndpoint, type Endpoint, type Machine } from '../http/endpoint.ts';
import { asRecord, asText } from '../wire/wire.ts';
import { readField, readJsonFile } from './dockerConfig.ts';
import { filesOn } from './nodeFiles.ts';
import { expandHome, joinPathOn, podmanFolder, readVariable } from './folders.ts';
import { tryParseJson } from '../wire/parseJson.ts';

/** Reads the connections. If both files define a name, the newer file wins. Invalid files are skipped. */
export async function readPodmanConnections(machine: Machine): Promise<PodmanConnections> {
  const paths = connectionFiles(machine);
  const [newer, older] = paths;
  const [{ record }, text, ...kinds] = await Promise.all([
    readJsonFile(machine, newer),
    older === undefined ? undefined : filesOn(machine).readText(older),
    ...paths.map((path) => filesOn(machine).kindOf(path)),
  ]);
  const named = asRecord(readField(asRecord(readField(record, 'Connection')), 'Connections'));
  const newest = Object.entries(named).slice(0, MOST_CONNECTIONS);
  return {
    files: paths.map((path, index) => ({ path, isThere: kinds[index] !== undefined })),
    byName: new Map([
      ...readServiceDestinations(text ?? ''),
      ...newest.map(([name, one]) => [name, destinationOf(one)] as const),
    ]),
  };
}

export interface PodmanConnections {
  /** The files in which they are stored. */
  readonly files: readonly { readonly path: string; readonly isThere: boolean }[];
  readonly byName: ReadonlyMap<string, ServiceDestination>;
}

/** The most connections that are read of a file. */
const MOST_CONNECTIONS = 1_000;

/** Returns the files in which `podman system connection` stores its connections, that of Podman 5 and later first. */
export function connectionFiles(machine: Machine): readonly string[] {
  const folder = podmanFolder(machine);
  const inFolder = (name: string): string[] =>
    folder === undefined ? [] : [joinPathOn(machine, folder, name)];
  const fromVariable = readVariable(machine, 'PODMAN_CONNECTIONS_CONF');
  return [
    ...(fromVariable === undefined ? inFolder('podman-connections.json') : [fromVariable]),
    ...inFolder('containers.conf'),
  ];
}

/** Returns the endpoint of a connection. @throws EngineError `badEndpoint`. */
export function connectionEndpoint(destination: ServiceDestination, machine: Machine): Endpoint {
  // Older versions wrote `?secure=…` to control the host key check, which is now left to the configuration of
  // ssh.
  const endpoint = parseEndpoint(destination.uri.replace(/\?secure=\w*$/i, ''), 'context');
  const identity = expandHome(machine, destination.identity);
  if (endpoint.transport.kind !== 'ssh' || !KEY_FILE.test(identity)) return endpoint;
  return { ...endpoint, transport: { ...endpoint.transport, identity } };
}

function destinationOf(value: unknown): ServiceDestination {
  const one = asRecord(value);
  return { uri: asText(readField(one, 'URI')), identity: asText(readField(one, 'Identity')) };
}

/** An absolute path, so that it cannot be taken for an option. */
const KEY_FILE = /^(?:\/|[a-z]:[\\/])\P{Cc}+$/iu;

/** One `[engine.service_destinations.NAME]` table of Podman's configuration; a missing field is empty. */
interface ServiceDestination {
  readonly uri: string;
  /** The path of a private key. */
  readonly identity: string;
}

const TABLE =
  /^\[\s*engine\s*\.\s*service_destinations\s*\.\s*(?:"([^"\\]*)"|'([^']*)'|([\w-]+))\s*\](?:\s*#.*)?$/;
const ENTRY = /^(uri|identity)\s*=\s*(?:("(?:[^"\\]|\\.)*")|'([^']*)')(?:\s*#.*)?$/;

/**
 * Reads the connections of older Podman versions from a `containers.conf`. Supports only these tables, with each
 * entry on its own line as written by Podman; the rest of the file is skipped.
 */
function readServiceDestinations(text: string): ReadonlyMap<string, ServiceDestination> {
  const found = new Map<string, ServiceDestination>();
  let name: string | undefined;
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    if (trimmed.startsWith('[')) {
      const [, quoted, literal, bare] = TABLE.exec(trimmed) ?? [];
      name = quoted ?? literal ?? bare;
      if (found.size >= MOST_CONNECTIONS) break;
      if (name !== undefined && !found.has(name)) found.set(name, { uri: '', identity: '' });
    } else if (name !== undefined) {
      const [, key, quoted, literal] = ENTRY.exec(trimmed) ?? [];
      const before = found.get(name);
      if (key === undefined || !before) continue;
      found.set(name, { ...before, [key]: literal ?? unquoted(quoted) });
    }
  }
  return found;
}

/** Supports the escapes that JSON has; addresses and paths contain no others. */
function unquoted(text: string | undefined): string {
  return asText(tryParseJson(text ?? ''));
}
