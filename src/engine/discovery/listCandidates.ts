import type { Endpoint, Machine } from './endpoint.ts';
import { endpointIn, listContexts } from './dockerContext.ts';
import { endpointExtras, readDockerConfig } from './dockerConfig.ts';
import { filesOf } from './nodeFiles.ts';
import { readVariable } from './folders.ts';
import type { EndpointCandidate } from './endpointCandidate.ts';
import { resolveCandidate, wellKnownCandidate, variableCandidate } from './discoverEndpoints.ts';
import { connectionEndpoint, listPodmanConnections } from './listPodmanConnections.ts';
import { wellKnownSockets } from './wellKnownSockets.ts';

/**
 * Every place that can be offered, chosen or not: the contexts, Podman's connections, what `DOCKER_HOST` says, and
 * the usual places where something is. Each engine once, under the first name it has here; what cannot be used with
 * its error. Never rejects.
 */
export async function listCandidates(machine: Machine): Promise<readonly EndpointCandidate[]> {
  const extras = endpointExtras(machine, await readDockerConfig(machine));
  const contexts = (await listContexts(machine)).map((context) =>
    resolveCandidate(context.name, { kind: 'context', name: context.name }, extras, () =>
      endpointIn(context, machine),
    ),
  );
  const connections = [...(await listPodmanConnections(machine))].map(([name, destination]) =>
    resolveCandidate(name, { kind: 'podmanConnection', name }, {}, () =>
      connectionEndpoint(destination, machine),
    ),
  );
  const host = readVariable(machine, 'DOCKER_HOST');
  const told = host === undefined ? [] : [variableCandidate(host, machine, extras)];
  const usual = (await wellKnownSockets(machine)).map((one) => wellKnownCandidate(one, extras));
  const there = await Promise.all(
    usual.map(async (one) => ((await isThere(one.endpoint, machine)) ? [one] : [])),
  );
  const all = [...(await Promise.all([...contexts, ...connections, ...told])), ...there.flat()];
  return withoutDoubles(all, machine);
}

async function isThere(endpoint: Endpoint | undefined, machine: Machine): Promise<boolean> {
  if (endpoint?.transport.kind !== 'socket') return false;
  const { path } = endpoint.transport;
  if (machine.platform !== 'win32') return (await filesOf(machine).kindOf(path)) === 'socket';
  // A look at a pipe would take the place of a caller.
  const [, folder = '', name = ''] = /^(.*[/\\])([^/\\]*)$/.exec(path) ?? [];
  return (await filesOf(machine).list(folder)).includes(name);
}

async function withoutDoubles(
  places: readonly EndpointCandidate[],
  machine: Machine,
): Promise<readonly EndpointCandidate[]> {
  const keys = await Promise.all(places.map((place) => candidateKey(place, machine)));
  return places.filter((_, index) => keys.indexOf(keys[index] ?? '') === index);
}

/** The same for two places that lead to the same. May have secrets in it. Never rejects. */
export async function candidateKey(
  { name, found, endpoint }: Pick<EndpointCandidate, 'name' | 'found' | 'endpoint'>,
  machine: Machine,
): Promise<string> {
  if (!endpoint) return JSON.stringify([found.kind, name]);
  const { transport } = endpoint;
  if (transport.kind !== 'socket') return JSON.stringify(transport);
  const path = (await filesOf(machine).realPathOf?.(transport.path)) ?? transport.path;
  // One folder of every Linux has two names.
  return JSON.stringify(['socket', path.replace(/^\/var\/run\//, '/run/')]);
}
