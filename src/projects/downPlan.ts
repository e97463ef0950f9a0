import { listContainersInPods } from '../engine/containers/listContainersInPods.ts';
import type { Connection } from '../engine/http/connection.ts';
import { listImages } from '../engine/images/images.ts';
import { isTemporaryContainer } from '../engine/images/temporaryMarks.ts';
import {
  isAnonymousVolume,
  type Container,
  type Image,
  type Network,
  type Volume,
} from '../engine/model.ts';
import { networkMembers } from '../engine/networks/networkMembers.ts';
import { listNetworks } from '../engine/networks/networks.ts';
import { listVolumes } from '../engine/volumes/volumes.ts';
import { isOfPod, isOfStack, PROJECT, projectOf } from './projectLabels.ts';

/** Resources of a project. */
export interface DownPlan extends Resources {
  /** Resources that stay, because a container that is not of the project uses them. */
  readonly kept: readonly KeptResource[];
}

/** Everything of an engine that may belong to a project, or use what does. */
interface Resources {
  readonly containers: readonly Container[];
  readonly networks: readonly Network[];
  readonly volumes: readonly Volume[];
  readonly images: readonly Image[];
}

/** Lists everything of an engine but our own temporary containers. @throws EngineError. */
export async function listResources(
  connection: Connection,
  signal: AbortSignal,
): Promise<Resources> {
  const [containers, networks, volumes, images] = await Promise.all([
    listContainersInPods(connection, signal),
    listNetworks(connection, {}, signal),
    listVolumes(connection, {}, signal),
    listImages(connection, {}, signal),
  ]);
  const used = containers.filter((one) => !isTemporaryContainer(one));
  return { containers: used, networks, volumes, images };
}

/** Anything that Down removes. Its ID is that of the engine; of a volume, its name. */
export interface Resource {
  readonly kind: 'container' | 'network' | 'volume' | 'image';
  readonly id: string;
  readonly name: string;
}

export interface KeptResource extends Resource {
  /** The names of the containers that use it, at least one. */
  readonly users: readonly string[];
}

/**
 * Returns what belongs to compose projects: by their labels its containers, also one-off ones, networks, and
 * volumes; also the anonymous volumes and the images of its containers.
 */
export function planDown(projects: readonly string[], all: Resources): DownPlan {
  const isMember = (one: Container): boolean =>
    projects.includes(projectOf(one) ?? '') && !isOfStack(one) && !isOfPod(one);
  const containers = all.containers.filter(isMember);
  const others = all.containers.filter((one) => !isMember(one));
  const mounted = new Set(containers.flatMap((one) => one.mounts.map(({ volume }) => volume)));
  const imageIds = new Set(containers.map(({ imageId }) => imageId));
  const isLabelled = ({ labels }: Network | Volume): boolean =>
    projects.includes(labels[PROJECT] ?? '');
  const networks = split(all.networks.filter(isLabelled), networkResource, (one) =>
    networkUsers(one, { containers: others, networks: all.networks }),
  );
  const volumes = split(
    all.volumes.filter(
      (one) => isLabelled(one) || (isAnonymousVolume(one) && mounted.has(one.name)),
    ),
    volumeResource,
    (one) => volumeUsers(one, others),
  );
  const images = split(
    all.images.filter(({ id }) => imageIds.has(id)),
    imageResource,
    ({ id }) => others.filter(({ imageId }) => imageId === id).map(({ name }) => name),
  );
  return {
    containers,
    networks: networks.free,
    volumes: volumes.free,
    images: images.free,
    kept: [...networks.kept, ...volumes.kept, ...images.kept],
  };
}

function split<T>(
  all: readonly T[],
  resourceOf: (one: T) => Resource,
  usersOf: (one: T) => readonly string[],
): { readonly free: readonly T[]; readonly kept: readonly KeptResource[] } {
  const pairs = all.map((one) => ({ one, users: usersOf(one) }));
  return {
    free: pairs.filter(({ users }) => users.length === 0).map(({ one }) => one),
    kept: pairs.flatMap(({ one, users }) =>
      users.length === 0 ? [] : [{ ...resourceOf(one), users }],
    ),
  };
}

/** Returns the names of the containers on a network, running or not. */
export function networkUsers(
  network: Network,
  { containers, networks }: Pick<Resources, 'containers' | 'networks'>,
): readonly string[] {
  return networkMembers(network, containers, networks).map(({ container }) => container.name);
}

/** Returns the names of the containers that mount a volume, running or not. */
export function volumeUsers({ name }: Volume, containers: readonly Container[]): readonly string[] {
  const isMounted = ({ mounts }: Container): boolean =>
    mounts.some(({ volume }) => volume === name);
  return containers.filter(isMounted).map((one) => one.name);
}

export function containerResource({ id, name }: Container): Resource {
  return { kind: 'container', id, name };
}

export function networkResource({ id, name }: Network): Resource {
  return { kind: 'network', id, name };
}

export function volumeResource({ name }: Volume): Resource {
  return { kind: 'volume', id: name, name };
}

export function imageResource({ id, tags, digests }: Image): Resource {
  return { kind: 'image', id, name: tags[0] ?? digests[0] ?? id.slice(7, 19) };
}
