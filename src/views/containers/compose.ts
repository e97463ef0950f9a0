import type { Container } from '../../engine/model.ts';
import { formatLine } from '../format.ts';

const PROJECT = 'com.docker.compose.project';
const SERVICE = 'com.docker.compose.service';
const NUMBER = 'com.docker.compose.container-number';
const ONE_OFF = 'com.docker.compose.oneoff';

/** The compose project a container belongs to; undefined for most. */
export function projectOf(container: Container): string | undefined {
  const project = container.labels[PROJECT] ?? '';
  // A row that shows nothing could not be told from the others.
  return formatLine(project) === '' ? undefined : project;
}

/** The service it is one of; undefined for one that was only run once beside it. */
export function serviceOf(container: Container): string | undefined {
  if (/^true$/i.test(container.labels[ONE_OFF] ?? '')) return undefined;
  const service = formatLine(container.labels[SERVICE] ?? '');
  return service === '' ? undefined : service;
}

/** Its number among the replicas of its service. */
function numberOf(container: Container): string | undefined {
  const number = container.labels[NUMBER] ?? '';
  return /^\d+$/.test(number) ? number : undefined;
}

/**
 * What each container of one project is called inside its group: by its service, with a number where there
 * are several of it, by its own name where that is not enough to tell it from the others.
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
