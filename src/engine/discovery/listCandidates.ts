import type { Endpoint, Machine } from '../http/endpoint.ts';
import { endpointIn } from './dockerContext.ts';
import { readEngineConfig } from './engineConfig.ts';
import { filesOn } from './nodeFiles.ts';
import { readVariable } from './folders.ts';
import type { EndpointCandidate } from './endpointCandidate.ts';
import {
  podmanCandidates,
  resolveCandidate,
  wellKnownCandidate,
  variableCandidate,
} from './discoverEndpoints.ts';
import { wellKnownSockets } from './wellKnownSockets.ts';

/**
 * Returns all candidates to offer: the contexts, Podman's connections, `DOCKER_HOST`, and the well-known sockets
 * that exist. Each engine is listed once, under its first name in this order. A candidate that cannot be used has
 * an error. Never rejects.
 */
export async function listCandidates(machine: Machine): Promise<readonly EndpointCandidate[]> {
  const config = await readEngineConfig(machine);
  const { extras } = config.docker;
  const contexts = (await config.contexts()).all.map((context) =>
    resolveCandidate(context.name, { kind: 'context', name: context.name }, extras, () =>
      endpointIn(context, machine),
    ),
  );
  const host = readVariable(machine, 'DOCKER_HOST');
  const named = host === undefined ? [] : [variableCandidate(host, config)];
  const usual = (await wellKnownSockets(config)).map((one) => wellKnownCandidate(one, extras));
  const there = await Promise.all(
    usual.map(async (one) => ((await isThere(one.endpoint, machine)) ? [one] : [])),
  );
  const all = [
    ...(await Promise.all(contexts)),
    ...(await podmanCandidates(config)),
    ...(await Promise.all(named)),
    ...there.flat(),
  ];
  const keys = await Promise.all(all.map((candidate) => candidateKey(candidate, machine)));
  const seen = new Set<string>();
  return all.filter((_, index) => {
    const key = keys[index] ?? '';
    return !seen.has(key) && seen.add(key);
  });
}

async function isThere(endpoint: Endpoint | undefined, machine: Machine): Promise<boolean> {
  if (endpoint?.transport.kind !== 'socket') return false;
  const { path } = endpoint.transport;
  if (machine.platform !== 'win32') return (await filesOn(machine).kindOf(path)) === 'socket';
  // A stat of a named pipe would take up one of its instances.
  const [, folder = '', name = ''] = /^(.*[/\\])([^/\\]*)$/.exec(path) ?? [];
  return (await filesOn(machine).list(folder)).includes(name);
}

/** Returns a key that is equal for two candidates that lead to the same engine. May contain secrets. Never rejects. */
export async function candidateKey(
  { name, found, endpoint }: Pick<EndpointCandidate, 'name' | 'found' | 'endpoint'>,
  machine: Machine,
): Promise<string> {
  if (!endpoint) return JSON.stringify([found.kind, name]);
  const { transport } = endpoint;
  if (transport.kind !== 'socket') return JSON.stringify(transport);
  const path = (await filesOn(machine).realPathOf?.(transport.path)) ?? transport.path;
  // On Linux, `/var/run` is a link to `/run`.
  return JSON.stringify(['socket', path.replace(/^\/var\/run\//, '/run/')]);
}
