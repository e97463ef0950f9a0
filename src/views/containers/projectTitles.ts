import type { Container } from '../../engine/model.ts';
import { hookOf, numberOf, serviceOf } from '../../projects/projectLabels.ts';

/**
 * Returns the titles of a project's containers in their group, by container ID: the service, with a number if
 * it has several replicas, or with the hook, or the container name if that is not unique.
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
  const hook = hookOf(container);
  if (hook) return `${hook.service} ${hook.kind}`.trim();
  const service = serviceOf(container);
  const number = numberOf(container);
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
