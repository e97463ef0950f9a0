import { posix } from 'node:path';
import type { ArchiveRoot } from '../archive/archive.ts';
import { capabilitiesOf } from '../capabilities/capabilities.ts';
import type { Connection } from '../http/connection.ts';
import type { Connect } from '../http/sameEngineOnly.ts';
import { createContainer } from '../containers/containers.ts';
import {
  openTemporaryContainer,
  temporaryContainer,
} from '../containers/openTemporaryContainer.ts';
import { usersOfVolume } from './removeVolume.ts';
import type { VolumeContainers } from '../volumes/volumeContainers.ts';

/** Access to the files of a container, image or volume: runs work with an archive root that has them. */
export type FileSource = <T>(
  work: (connection: Connection, root: ArchiveRoot) => Promise<T>,
  signal?: AbortSignal,
) => Promise<T>;

/** Accesses the files of a container directly. */
export function containerFileSource(connect: Connect, id: string): FileSource {
  return async (work, signal) => work(await connect(signal), id);
}

/**
 * Accesses the files of an image through a temporary container, which is never started and is removed
 * afterwards.
 *
 * @param owner the mark of this window on its temporary containers.
 */
export function imageFileSource(connect: Connect, imageId: string, owner: string): FileSource {
  return async (work, signal) => {
    const connection = await connect(signal);
    const create = () => createContainer(connection, temporaryContainer(imageId, owner));
    await using container = await openTemporaryContainer(connection, create, true, signal);
    return await work(connection, container.id);
  };
}

/** Accesses the files of a volume through a temporary container, which is never started. */
export function volumeFileSource(
  connect: Connect,
  volume: string,
  containers: VolumeContainers,
): FileSource {
  return async (work, signal) => {
    const connection = await connect(signal);
    await using mounted = await containers.open(connection, volume, signal);
    const result = await work(connection, mounted.root);
    await mounted.check();
    return result;
  };
}

/**
 * Accesses the files of a volume to write them: on engines that do not report owners, in a running container that
 * mounts it and nothing in it, if there is one.
 */
export function volumeWriteSource(
  connect: Connect,
  volume: string,
  containers: VolumeContainers,
): FileSource {
  const temporary = volumeFileSource(connect, volume, containers);
  return async (work, signal) => {
    const connection = await connect(signal);
    const root = await findRunningMount(connection, volume, signal);
    return root ? work(connection, root) : temporary(work, signal);
  };
}

/** Whether existing files of a volume can be written with their owners. @throws EngineError. */
export async function knowsVolumeOwners(
  connection: Connection,
  volume: string,
  signal?: AbortSignal,
): Promise<boolean> {
  if (capabilitiesOf(await connection.info(signal)).keepsOwnersInArchives) return true;
  return (await findRunningMount(connection, volume, signal)) !== undefined;
}

async function findRunningMount(
  connection: Connection,
  volume: string,
  signal: AbortSignal | undefined,
): Promise<ArchiveRoot | undefined> {
  if (capabilitiesOf(await connection.info(signal)).keepsOwnersInArchives) return undefined;
  for (const { id, state, mounts, omitted } of await usersOfVolume(connection, volume, signal)) {
    if (state !== 'running' || omitted !== undefined) continue;
    const mount = mounts.find((one) => one.volume === volume && !one.isReadOnly);
    const folder = mount && posix.resolve('/', mount.path);
    const isIn = ({ path }: { readonly path: string }): boolean =>
      posix.resolve('/', path).startsWith(`${folder}/`);
    if (folder !== undefined && folder !== '/' && !mounts.some(isIn))
      return { container: id, folder };
  }
  return undefined;
}
