import { listContainers } from '../containers/containers.ts';
import { failedWith } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import { isTemporaryContainer, removeLeftBehind } from '../images/withTemporaryContainer.ts';
import type { Container } from '../model.ts';
import { volumePath } from './volumes.ts';

/**
 * Removes a volume with all files: `DELETE /volumes/{name}`. Gantry's own temporary containers do not count as
 * users.
 *
 * @throws VolumeInUseError if a container uses it, running or not; EngineError.
 */
export async function removeVolume(
  connection: Connection,
  name: string,
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'removed' | 'alreadyGone' }> {
  try {
    return await remove(connection, name, signal);
  } catch (error) {
    if (!failedWith(error, 'conflict', 'failed')) throw error;
    const all = await containersOfVolume(connection, name, signal);
    const users = all.filter((one) => !isTemporaryContainer(one));
    if (users.length > 0) throw new VolumeInUseError(name, users, error);
    if (all.length === 0) throw error;
    for (const { id } of all) await removeLeftBehind(connection, id);
    return remove(connection, name, signal);
  }
}

/** A volume that cannot be removed because containers use it. */
export class VolumeInUseError extends Error {
  override readonly name = 'VolumeInUseError';
  readonly volume: string;
  readonly users: readonly Container[];

  constructor(volume: string, users: readonly Container[], cause?: unknown) {
    super(`${volume}: ${users.map(({ name }) => name).join(', ')}`, { cause });
    this.volume = volume;
    this.users = users;
  }
}

/** Lists the containers that mount a volume, running or not, and also Gantry's own: `GET /containers/json`. */
export async function containersOfVolume(
  connection: Connection,
  name: string,
  signal?: AbortSignal,
): Promise<readonly Container[]> {
  const all = await listContainers(connection, { all: true }, signal);
  return all.filter(({ mounts }) => mounts.some(({ volume }) => volume === name));
}

async function remove(
  connection: Connection,
  name: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly outcome: 'removed' | 'alreadyGone' }> {
  try {
    // No time limit: an engine deletes the files before it responds.
    const request = { method: 'DELETE', path: volumePath(name), limitMs: 0, signal } as const;
    await connection.send(request);
    return { outcome: 'removed' };
  } catch (error) {
    if (failedWith(error, 'notFound')) return { outcome: 'alreadyGone' };
    throw error;
  }
}
