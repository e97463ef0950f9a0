import type { Connection } from '../engine/http/connection.ts';
import { withTemporaryContainer } from '../engine/images/withTemporaryContainer.ts';
import type { FileSource } from './review.ts';

/** The way to the engine. */
type Connect = (signal?: AbortSignal) => Promise<Connection>;

/** The files of a container as it is now. */
export function containerFileSource(connect: Connect, id: string): FileSource {
  return async (signal, run) => run(await connect(signal), id);
}

/**
 * The files of an image: of a container of it that is never started, and gone again right after.
 *
 * @param owner this window's mark on its temporary containers.
 */
export function imageFileSource(connect: Connect, imageId: string, owner: string): FileSource {
  return async (signal, run) => {
    const connection = await connect(signal);
    return withTemporaryContainer(connection, imageId, owner, (id) => run(connection, id), signal);
  };
}
