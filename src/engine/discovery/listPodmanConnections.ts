import { parseEndpoint, type Endpoint, type Machine } from './endpoint.ts';
import { asRecord, asText } from '../wire.ts';
import { readField, readJsonFile } from './dockerConfig.ts';
import { filesOf } from './nodeFiles.ts';
import { expandHome, joinPathOn, podmanFolder, readVariable } from './folders.ts';
import { readServiceDestinations, type ServiceDestination } from './serviceDestination.ts';

/** The connections by their names, the newer file's where both name one. What is damaged is left out. */
export async function listPodmanConnections(
  machine: Machine,
): Promise<ReadonlyMap<string, ServiceDestination>> {
  const [newer = '', older = ''] = connectionFiles(machine);
  const text = older === '' ? undefined : await filesOf(machine).readText(older);
  const { record } = await readJsonFile(machine, newer);
  const named = asRecord(readField(asRecord(readField(record, 'Connection')), 'Connections'));
  return new Map([
    ...readServiceDestinations(text ?? ''),
    ...Object.entries(named).map(([name, one]) => [name, destinationOf(one)] as const),
  ]);
}

/** Where `podman system connection` keeps its connections, the file in use since Podman 5 first. */
export function connectionFiles(machine: Machine): readonly string[] {
  const folder = podmanFolder(machine);
  const inFolder = (name: string): string[] =>
    folder === undefined ? [] : [joinPathOn(machine, folder, name)];
  const told = readVariable(machine, 'PODMAN_CONNECTIONS_CONF');
  return [
    ...(told === undefined ? inFolder('podman-connections.json') : [told]),
    ...inFolder('containers.conf'),
  ];
}

/** Where a connection leads to. @throws EngineError `badEndpoint`. */
export function connectionEndpoint(destination: ServiceDestination, machine: Machine): Endpoint {
  // Older versions wrote `?secure=…`, which said how strictly host keys are checked: ssh's own files say so now.
  const endpoint = parseEndpoint(destination.uri.replace(/\?secure=\w*$/i, ''), 'context');
  const identity = expandHome(machine, destination.identity);
  if (endpoint.transport.kind !== 'ssh' || !isKeyFile(identity)) return endpoint;
  return { ...endpoint, transport: { ...endpoint.transport, identity } };
}

function destinationOf(value: unknown): ServiceDestination {
  const one = asRecord(value);
  return { uri: asText(readField(one, 'URI')), identity: asText(readField(one, 'Identity')) };
}

/** A full path, so that it can be no option. */
function isKeyFile(path: string): boolean {
  return /^(?:\/|[a-z]:[\\/])\P{Cc}+$/iu.test(path);
}
