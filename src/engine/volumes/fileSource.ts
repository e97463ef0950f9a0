import type { ArchiveRoot } from '../archive/archive.ts';
import type { Connection } from '../http/connection.ts';
import type { Connect } from '../http/sameEngineOnly.ts';
import { createContainer } from '../containers/containers.ts';
import {
  openTemporaryContainer,
  temporaryContainer,
} from '../containers/openTemporaryContainer.ts';
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
