import { removeContainer } from '../../engine/containers/containerLifecycle.ts';
import type { Container } from '../../engine/model.ts';
import { sameEngineOnly } from '../../engine/http/sameEngineOnly.ts';
import type { ProjectVerb } from '../../projects/operations.ts';
import type { Project } from '../../projects/project.ts';
import { runOnProject, type ProjectRunOptions } from '../../projects/runOnProject.ts';
import { monotonicClock } from '../../base/time.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { reportOf, type ProjectReport } from './projectOutcome.ts';
import { loadProject, type ProjectArguments } from './projectTarget.ts';

/**
 * Runs a verb on a project or one of its services, as the engine knows it now.
 *
 * @throws InputError if it does not exist; EngineError if the engine cannot be asked.
 */
export async function runProject(
  verb: ProjectVerb,
  target: ProjectArguments,
  context: CommandContext,
  signal: AbortSignal,
  confirmed?: ConfirmedContainers,
): Promise<ProjectReport> {
  // Before anything asynchronous, so that only earlier waits can delay these starts.
  const world = worldOf(context, verb);
  const connection = await context.engine.connect(signal);
  const loaded = await loadProject(connection, target, signal);
  const project =
    verb === 'remove'
      ? only(loaded, ({ id, pod }) => confirmed?.all.has(id) ?? pod?.isInfra !== true)
      : loaded;
  const run = await runOnProject(verb, project, {
    ...world,
    connection,
    connect: sameEngineOnly(connection, (later) => context.engine.connect(later)),
    signal,
    service: target.service,
    operate:
      confirmed &&
      ((current, { id }) =>
        removeContainer(current, id, { force: confirmed.killed.has(id) }, signal)),
  });
  return reportOf(run);
}

/** Containers to remove, as the user confirmed it. */
export interface ConfirmedContainers {
  /** IDs. */
  readonly all: ReadonlySet<string>;
  /** IDs of those that the question announced as killed. */
  readonly killed: ReadonlySet<string>;
}

/** A container that joined while the question was open is not removed, nor the one that holds a pod together. */
function only(project: Project, matches: (container: Container) => boolean): Project {
  const services = project.services.map((one) => ({
    ...one,
    containers: one.containers.filter(matches),
  }));
  return { ...project, services };
}

/** Returns what a run needs besides the connection. Must be called when the run is requested. */
export function worldOf(
  context: CommandContext,
  verb: ProjectVerb,
): Omit<ProjectRunOptions, 'connection' | 'signal'> {
  const { inventory, activity, exits, unit } = context;
  const hold = exits.beforeStart();
  // Waits need the events of the engine.
  unit.start();
  return {
    inventory,
    activity,
    clock: monotonicClock,
    around: async ({ id }, run, signal) => {
      if (verb === 'start') await hold(id, signal);
      try {
        return await run();
      } catch (error) {
        if (verb === 'start') exits.startFailed(id, error);
        recheck(id, context);
        throw error;
      }
    },
  };
}

/** A failed command may have changed the container without an event. */
function recheck(id: Container['id'], { inventory, unit }: CommandContext): void {
  if (inventory.phase.kind === 'lost') unit.requests.renew();
  else unit.requests.recheck(id);
}
