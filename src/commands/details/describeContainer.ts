import { findImage } from '../../engine/images/images.ts';
import type { ContainerDetails } from '../../engine/containers/containerDetails.ts';
import { inspectContainer } from '../../engine/containers/containers.ts';
import type { ContainerFacts, MountFacts } from '../../engine/facts/containerFacts.ts';
import { readContainerFacts } from '../../engine/facts/readContainerFacts.ts';
import type { HiddenValues } from '../../engine/facts/hiddenValues.ts';
import type { Connection } from '../../engine/http/connection.ts';
import type { ServiceWait } from '../../inventory/activity.ts';
import {
  hostPath,
  normalizeSourcePath,
  pathInside,
} from '../../logs/sources/normalizeSourcePath.ts';
import { filesOf, projectOf, serviceOf } from '../../projects/projectLabels.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { dependencyWait } from './dependencyWait.ts';
import { wasKilledByClient } from './exitStory.ts';
import { recordRun } from './recordRun.ts';

/**
 * Inspects a container and its image.
 *
 * @param readImage asks the engine each time by default.
 * @throws EngineError `notFound`.
 */
export async function describeContainer(
  id: string,
  connection: Connection,
  context: CommandContext,
  { signal, readImage = imageReader(connection, signal) }: DescribeOptions,
): Promise<InspectedContainer> {
  const details = await inspectContainer(connection, id, signal);
  const runs = await context.unit.runs();
  recordRun(runs, details);
  const image = details.imageId === '' ? undefined : await readImage(details.imageId);
  const { facts, hidden } = readContainerFacts(details.raw, image);
  const folders = isLocal(connection) ? context.ui.workspaceFolders() : [];
  const known = context.inventory.containers.get(details.id);
  const labelled = known ?? { labels: details.labels };
  const project = projectOf(labelled);
  const service = serviceOf(labelled);
  const { files } = filesOf(labelled);
  const waitsFor = known && dependencyWait(known, context);
  const run = runs.find(details.id);
  const wasKilled =
    facts.exitCode !== undefined && wasKilledByClient(context.unit.events.eventsOf(details.id));
  return {
    details,
    hidden,
    facts: {
      ...facts,
      oomKilled: facts.oomKilled && !wasKilled,
      mounts: facts.mounts.map((mount) => withWorkspace(mount, folders)),
      ...(project !== undefined && { project }),
      ...(service !== undefined && { service }),
      ...(files.length > 0 && { composeFiles: files }),
      ...(waitsFor && { waitsFor }),
      wasStopped:
        context.inventory.stopped.has(details.id) || (run?.hasEnded === true && run.wasStopped),
    },
  };
}

/** A container after one inspect. */
export interface InspectedContainer {
  readonly facts: DescribedContainer;
  readonly hidden: HiddenValues;
  readonly details: ContainerDetails;
}

/** A container with what only this window knows of it. */
export interface DescribedContainer extends ContainerFacts {
  /** Its compose project, swarm stack, or pod. */
  readonly project?: string;
  readonly service?: string;
  /** The compose files of its project, as Compose wrote them. */
  readonly composeFiles?: readonly string[];
  /** The service that it is not started before. */
  readonly waitsFor?: ServiceWait;
  /** Whether a client is known to have stopped it. */
  readonly wasStopped: boolean;
}

/** Returns the inspect response of an image by its ID; undefined if the engine does not have it. */
export type ReadImage = (id: string) => Promise<unknown>;

interface DescribeOptions {
  readonly signal: AbortSignal;
  readonly readImage?: ReadImage;
}

/** Returns a reader that asks the engine at every call. */
export function imageReader(connection: Connection, signal: AbortSignal): ReadImage {
  return async (id) => (await findImage(connection, id, signal))?.raw;
}

/** Whether the engine is on this machine: what is mounted on another one lies there. */
function isLocal({ endpoint }: Connection): boolean {
  return endpoint.transport.kind === 'socket';
}

function withWorkspace(mount: MountFacts, folders: readonly string[]): MountFacts {
  const path = mount.type === 'bind' ? hostPath(mount.source) : undefined;
  if (path === undefined) return mount;
  const workspaceFolder = folders.find((folder) => {
    const normal = normalizeSourcePath(folder);
    return normal !== undefined && pathInside(normal, path) !== undefined;
  });
  return workspaceFolder === undefined ? mount : { ...mount, workspaceFolder };
}
