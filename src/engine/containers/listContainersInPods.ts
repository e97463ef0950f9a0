import { capabilitiesOf } from '../capabilities/capabilities.ts';
import { EngineError } from '../errors.ts';
import { fetchList } from '../http/fetchList.ts';
import type { Connection } from '../http/connection.ts';
import type { Container, ContainerPod } from '../model.ts';
import { asId, asLine, asList, asRecord } from '../wire/wire.ts';
import { listContainers } from './containers.ts';

/** Lists all containers with their pods. @throws EngineError. */
export async function listContainersInPods(
  connection: Connection,
  signal?: AbortSignal,
): Promise<readonly Container[]> {
  const containers = await listContainers(connection, { all: true }, signal);
  return withPods(connection, containers, new Map(), signal);
}

/**
 * Adds the pods to containers: `GET /libpod/pods/json`, only for Podman, and only if one of them is new, because a
 * container never changes its pod. If the pods cannot be listed, new containers have none until the next request.
 *
 * @param known containers with their pods, by ID.
 * @param isComplete whether all containers were listed. The pods are requested then even if no container is new,
 *   because the last request may have failed.
 */
export async function withPods(
  connection: Connection,
  containers: readonly Container[],
  known: ReadonlyMap<string, Container>,
  signal?: AbortSignal,
  isComplete = false,
): Promise<readonly Container[]> {
  const hasPods = containers.length > 0 && capabilitiesOf(await connection.info(signal)).hasPods;
  if (!hasPods) return containers;
  const isAsked = isComplete || containers.some(({ id }) => !known.has(id));
  const pods = isAsked ? await listPodsOf(connection, signal) : undefined;
  return containers.map((one) => {
    const pod = known.get(one.id)?.pod ?? pods?.get(one.id);
    return pod ? { ...one, pod } : one;
  });
}

/** Resolves to the pod of each container that has one, by the ID of the container. */
async function listPodsOf(
  connection: Connection,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, ContainerPod>> {
  try {
    const request = { method: 'GET', path: '/libpod/pods/json', signal } as const;
    const list = await fetchList(connection, request, { ifNull: [] });
    return new Map(list.flatMap(readPod));
  } catch (error) {
    if (error instanceof EngineError) return new Map();
    throw error;
  }
}

function readPod(value: unknown): readonly (readonly [id: string, pod: ContainerPod])[] {
  const wire = asRecord(value);
  const name = asLine(wire['Name']);
  const infra = asId(wire['InfraId']);
  if (name === '') return [];
  return asList(wire['Containers']).flatMap((one) => {
    const id = asId(asRecord(one)['Id']);
    return id === '' ? [] : [[id, { name, isInfra: id === infra }] as const];
  });
}
