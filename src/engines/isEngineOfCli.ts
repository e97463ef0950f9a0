import { posix } from 'node:path';
import {
  discoverEndpoints,
  podmanCandidates,
  resolveCandidate,
  wellKnownCandidate,
} from '../engine/discovery/discoverEndpoints.ts';
import type { EndpointCandidate } from '../engine/discovery/endpointCandidate.ts';
import { readEngineConfig, type EngineConfig } from '../engine/discovery/engineConfig.ts';
import { readVariable } from '../engine/discovery/folders.ts';
import { candidateKey } from '../engine/discovery/listCandidates.ts';
import { wellKnownSockets } from '../engine/discovery/wellKnownSockets.ts';
import { parseEndpoint, type Endpoint, type Machine } from '../engine/http/endpoint.ts';

/**
 * Whether a command-line program works on this engine if nothing else is said to it. A program of another name is
 * assumed to follow the rules of Docker's. Never rejects.
 *
 * @param program its name or path.
 * @param machine its `env` is that of the program.
 */
export async function isEngineOfCli(
  endpoint: Endpoint,
  program: string,
  machine: Machine,
): Promise<boolean> {
  const config = await readEngineConfig(machine);
  const candidates = isPodman(program)
    ? await candidatesOfPodman(config)
    : // If nothing is chosen, the first candidate is the one that the Docker CLI uses.
      (await discoverEndpoints('', config)).candidates.slice(0, 1);
  const own = { name: '', found: { kind: 'setting' }, endpoint } as const;
  const key = await candidateKey(own, machine);
  const keys = await Promise.all(candidates.map((one) => candidateKey(one, machine)));
  return keys.includes(key);
}

/** Whether a program is Podman's, by its name. */
function isPodman(program: string): boolean {
  return /^podman/i.test(posix.basename(program.replaceAll('\\', '/')));
}

/**
 * Podman works on the containers of its user by itself, for which there is a socket. Elsewhere than on Linux, it has a
 * default connection, which is one of those that are known.
 */
async function candidatesOfPodman(config: EngineConfig): Promise<readonly EndpointCandidate[]> {
  const { machine } = config;
  const host = readVariable(machine, 'CONTAINER_HOST');
  if (host !== undefined) {
    const found = { kind: 'setting' } as const;
    return [await resolveCandidate(host, found, {}, () => parseEndpoint(host, 'environment'))];
  }
  const sockets = (await wellKnownSockets(config)).filter((one) => one.isPodman);
  const isLinux = machine.platform === 'linux';
  const product = machine.uid === 0 ? 'Podman' : 'Podman (rootless)';
  const own = isLinux ? sockets.filter((one) => one.product === product) : sockets;
  const connections = isLinux ? [] : await podmanCandidates(config);
  return [...own.map((one) => wellKnownCandidate(one, {})), ...connections];
}
