import type { Connection } from '../engine/http/connection.ts';
import { withImageContainer } from '../engine/images/imageContainer.ts';
import type { Side } from './review.ts';

/** The way to the engine. */
type Connect = (signal?: AbortSignal) => Promise<Connection>;

/** The files of a container as it is now. */
export function containerSide(connect: Connect, id: string): Side {
  return async (signal, run) => run(await connect(signal), id);
}

/**
 * The files of an image: of a container of it that is never started, and gone again right after.
 *
 * @param owner this window's mark on its temporary containers.
 */
export function imageSide(connect: Connect, imageId: string, owner: string): Side {
  return async (signal, run) => {
    const connection = await connect(signal);
    return withImageContainer(connection, imageId, owner, (id) => run(connection, id), signal);
  };
}
