import type { Container } from '../../engine/model.ts';
import type { ServiceWait } from '../../inventory/activity.ts';
import { dependenciesOf, projectOf, serviceOf } from '../../projects/projectLabels.ts';
import type { CommandContext } from '../frame/commandContext.ts';

/** Returns what a container waits for: as an operation does, or, before its first start, the first dependency. */
export function dependencyWait(
  container: Container,
  { inventory, activity }: Pick<CommandContext, 'inventory' | 'activity'>,
): ServiceWait | undefined {
  const wait = activity.waitOf(container.id);
  if (wait || container.state !== 'created') return wait;
  const dependencies = dependenciesOf(container);
  if (dependencies.length === 0) return undefined;
  const project = projectOf(container);
  const members = [...inventory.containers.values()].filter((one) => projectOf(one) === project);
  const missing = dependencies.find(({ service, condition }) => {
    const others = members.filter((one) => serviceOf(one) === service);
    return !others.some((one) => isReached(one, condition));
  });
  return missing && { service: missing.service, condition: missing.condition };
}

function isReached(
  { state, health, exitCode }: Container,
  condition: ServiceWait['condition'],
): boolean {
  if (condition === 'healthy') return state === 'running' && health === 'healthy';
  return condition === 'completed' ? state === 'exited' && exitCode === 0 : state === 'running';
}
