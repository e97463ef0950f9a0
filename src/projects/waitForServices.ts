import type { Container, ContainerState } from '../engine/model.ts';
import { inspectContainer } from '../engine/containers/containers.ts';
import { unlessNotFound } from '../engine/errors.ts';
import { askUntilReached } from './interruptions.ts';
import type { Project } from './project.ts';
import { waitUntilCompleted } from './waitUntilCompleted.ts';
import { waitUntilHealthy, type WaitEnd, type WaitWorld } from './waitUntilHealthy.ts';

/**
 * Waits for the containers of services that were started. The first that cannot get that far ends all waits. A service
 * that others wait for to complete has to complete, and one without a health check only has to run.
 *
 * @param services all by default.
 * @param required fails if one of these services has no container.
 * @param onEnd called at the end of each wait, with the name of the container, or of a service that has none.
 * @returns whether all got that far.
 * @throws the signal's reason if aborted.
 */
export async function waitForServices(
  project: Project,
  { condition, services = project.services.map(({ name }) => name), required = [] }: Wanted,
  world: WaitWorld,
  signal: AbortSignal,
  onEnd: (name: string, end: ServiceEnd) => void,
): Promise<boolean> {
  const failure = new AbortController();
  const either = AbortSignal.any([signal, failure.signal]);
  const jobs = jobsOf(project);
  const waitFor = async (container: Container, own: ServiceCondition): Promise<void> => {
    try {
      const end = await waitForContainer(container, own, world, either);
      if (either.aborted) return;
      onEnd(container.name, end);
      if (!isReached(end, own)) failure.abort();
    } catch (error) {
      if (either.aborted) return;
      onEnd(container.name, { kind: 'error', error });
      failure.abort();
    }
  };
  const missing = required.filter((service) =>
    project.services.every(({ name }) => name !== service),
  );
  for (const name of missing) onEnd(name, { kind: 'missing' });
  if (missing.length > 0) return false;
  const wanted = project.services.filter(({ name }) => services.includes(name));
  await Promise.all(
    wanted.flatMap(({ name, containers }) =>
      containers.map((one) => waitFor(one, jobs.has(name) ? 'completed' : condition)),
    ),
  );
  signal.throwIfAborted();
  return !failure.signal.aborted;
}

/** What to wait for. */
interface Wanted {
  readonly condition: ServiceCondition;
  /** Names. */
  readonly services?: readonly string[] | undefined;
  /** Names. */
  readonly required?: readonly string[] | undefined;
}

export type ServiceCondition = 'running' | 'healthy' | 'completed';

/** End of a wait for a container. */
export type ServiceEnd =
  | WaitEnd
  | { readonly kind: 'running' }
  /** The service has no container. */
  | { readonly kind: 'missing' }
  /** It neither runs nor has it exited. */
  | { readonly kind: 'state'; readonly state: ContainerState }
  | { readonly kind: 'error'; readonly error: unknown };

/** Milliseconds that the engine may be out of reach. */
const LONGEST_OUTAGE_MS = 60_000;

function isReached({ kind }: ServiceEnd, condition: ServiceCondition): boolean {
  return kind === condition || (condition === 'healthy' && kind === 'noCheck');
}

/** Returns the services that others wait for to complete. */
function jobsOf({ services }: Project): ReadonlySet<string> {
  const all = services.flatMap(({ dependencies }) => dependencies);
  const jobs = all.filter(({ condition }) => condition === 'completed');
  return new Set(jobs.map(({ service }) => service));
}

async function waitForContainer(
  { id, state }: Container,
  condition: ServiceCondition,
  world: WaitWorld,
  signal: AbortSignal,
): Promise<ServiceEnd> {
  // To an engine, it is not running, with code 0.
  if (state === 'created') return { kind: 'state', state };
  if (condition === 'completed') return waitUntilCompleted(id, world, signal);
  if (condition === 'running') return lookAt(id, world, signal);
  const end = await waitUntilHealthy(id, world, signal);
  if (end.kind !== 'noCheck') return end;
  // To an engine, a container in a crash loop is running, too.
  const now = await lookAt(id, world, signal);
  return now.kind === 'running' ? end : now;
}

async function lookAt(id: string, world: WaitWorld, signal: AbortSignal): Promise<ServiceEnd> {
  const details = await askUntilReached(
    world,
    () => LONGEST_OUTAGE_MS,
    signal,
    (connection) => unlessNotFound(inspectContainer(connection, id, signal)),
  );
  if (!details) return { kind: 'gone' };
  const { state, exitCode } = details;
  if (state === 'running') return { kind: 'running' };
  return state === 'exited' ? { kind: 'exited', exitCode } : { kind: 'state', state };
}
