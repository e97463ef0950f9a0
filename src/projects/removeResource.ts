import { failedWith } from '../engine/errors.ts';
import type { Connection } from '../engine/http/connection.ts';
import { networkPath } from '../engine/networks/networks.ts';
import { volumePath } from '../engine/volumes/volumes.ts';

/** Whether it was removed now or before. */
export type RemovalOutcome = 'removed' | 'alreadyGone';

/** Removes a network: `DELETE /networks/{id}`. @throws EngineError if a container uses it. */
export function removeNetwork(
  connection: Connection,
  id: string,
  signal: AbortSignal,
): Promise<RemovalOutcome> {
  return remove(connection, networkPath(id), signal);
}

/** Removes a volume: `DELETE /volumes/{name}`. @throws EngineError if a container uses it. */
export function removeVolume(
  connection: Connection,
  name: string,
  signal: AbortSignal,
): Promise<RemovalOutcome> {
  return remove(connection, volumePath(name), signal);
}

async function remove(
  connection: Connection,
  path: string,
  signal: AbortSignal,
): Promise<RemovalOutcome> {
  try {
    await connection.send({ method: 'DELETE', path, limitMs: 0, signal });
    return 'removed';
  } catch (error) {
    if (failedWith(error, 'notFound')) return 'alreadyGone';
    throw error;
  }
}
