import type { Connection } from '../engine/connection.ts';
import { createContainer } from '../engine/containers.ts';
import { removeContainer } from '../engine/containerVerbs.ts';
import type { Side } from './review.ts';

/** The way to the engine. */
type Connect = (signal?: AbortSignal) => Promise<Connection>;

/** The files of a container as it is now. */
export function containerSide(connect: Connect, id: string): Side {
  return async (signal, run) => run(await connect(signal), id);
}

/** The files of an image: of a container of it that is never started, and gone again right after. */
export function imageSide(connect: Connect, imageId: string): Side {
  return async (signal, run) => {
    const connection = await connect(signal);
    const { id } = await createContainer(connection, { body: { Image: imageId } }, signal);
    try {
      return await run(connection, id);
    } finally {
      await removeContainer(connection, id, { force: true, volumes: true });
    }
  };
}
