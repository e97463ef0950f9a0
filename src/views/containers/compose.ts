import type { Container } from '../../engine/model.ts';
import { formatLine } from '../format.ts';

const PROJECT = 'com.docker.compose.project';
const SERVICE = 'com.docker.compose.service';
const NUMBER = 'com.docker.compose.container-number';
const ONE_OFF = 'com.docker.compose.oneoff';

/** Returns the compose project of a container; undefined if it belongs to none. */
export function projectOf(container: Container): string | undefined {
  const project = container.labels[PROJECT] ?? '';
  // Ignore a project whose name has no visible characters: its row would have no label.
  return formatLine(project) === '' ? undefined : project;
}

/** Returns the compose service of a container; undefined for a one-off container (`docker compose run`). */
export function serviceOf(container: Container): string | undefined {
  if (/^true$/i.test(container.labels[ONE_OFF] ?? '')) return undefined;
  const service = formatLine(container.labels[SERVICE] ?? '');
  return service === '' ? undefined : service;
}

/** Returns the container's number among the replicas of its service. */
function numberOf(container: Container): string | undefined {
  const number = container.labels[NUMBER] ?? '';
  return /^\d+$/.test(number) ? number : undefined;
}

/**
 * Returns the titles of a project's containers in their group, by container ID: the service, with a number if
 * it has several replicas, or the container name if that is not unique.
 */
export function projectTitles(containers: readonly Container[]): ReadonlyMap<string, string> {
  const byService = countBy(containers, serviceOf);
  const byReplica = countBy(containers, replicaOf);
  return new Map(
    containers.map((one) => {
      const service = serviceOf(one);
      const replica = replicaOf(one);
      if (service !== undefined && byService.get(service) === 1) return [one.id, service];
      if (replica !== undefined && byReplica.get(replica) === 1) return [one.id, replica];
      return [one.id, one.name];
    }),
  );
}

function replicaOf(container: Container): string | undefined {
  const [service, number] = [serviceOf(container), numberOf(container)];
  return service === undefined || number === undefined ? undefined : `${service}-${number}`;
}

function countBy(
  containers: readonly Container[],
  keyOf: (container: Container) => string | undefined,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const container of containers) {
    const key = keyOf(container);
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** Returns the project of a volume or a network, and its name in the compose file, as far as compose created it. */
export function composeNameOf(
  labels: Readonly<Record<string, string>>,
  kind: 'volume' | 'network',
): { readonly project?: string; readonly name?: string } {
  const [project, name] = [labels[PROJECT] ?? '', labels[`com.docker.compose.${kind}`] ?? ''];
  return formatLine(project) === '' || formatLine(name) === '' ? {} : { project, name };
}
