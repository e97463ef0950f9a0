import { isDeepStrictEqual } from 'node:util';
import { VolumeInUseError, VolumeChangedError } from './volumeErrors.ts';
import { capabilitiesOf } from '../capabilities/capabilities.ts';
import { listContainers } from '../containers/containers.ts';
import { failedWith, unlessNotFound } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import { isTemporaryContainer } from '../images/temporaryMarks.ts';
import { removeLeftBehind } from '../containers/openTemporaryContainer.ts';
import type { Container, Volume } from '../model.ts';
import { CREATION_LABEL, findVolume } from './createVolume.ts';
import { inspectVolume, volumePath } from './volumes.ts';

/**
 * Removes a volume with all files: `DELETE /volumes/{name}`. Gantry's own temporary containers do not count as users.
 *
 * @param seen the volume as the user saw it; without, whatever volume has the name now is removed.
 * @param limitMs the time limit of the request. None by default: an engine deletes the files before it responds.
 * @throws VolumeInUseError if a container uses it, running or not; VolumeChangedError; EngineError.
 */
export async function removeVolume(
  connection: Connection,
  name: string,
  seen?: SeenVolume,
  signal?: AbortSignal,
  limitMs = 0,
): Promise<{ readonly outcome: 'removed' | 'alreadyGone' }> {
  if (seen && !(await findSame(connection, name, seen, signal))) return { outcome: 'alreadyGone' };
  try {
    return await remove(connection, name, limitMs, signal);
  } catch (error) {
    if (!failedWith(error, 'conflict', 'failed')) throw error;
    // It was refused, so it is still there. Once it is free, another client could replace it.
    const refused = seen ?? (await inspectVolume(connection, name, signal));
    await releaseVolume(connection, name, error, signal);
    const isThere = await findSame(connection, name, refused, signal);
    return isThere ? remove(connection, name, limitMs, signal) : { outcome: 'alreadyGone' };
  }
}

/** Returns the volume that was seen, or undefined if it is gone. @throws VolumeChangedError; EngineError. */
async function findSame(
  connection: Connection,
  name: string,
  seen: SeenVolume,
  signal: AbortSignal | undefined,
): Promise<Volume | undefined> {
  const now = await findVolume(connection, name, signal);
  if (now && !(await isSameVolume(connection, now, seen, signal)))
    throw new VolumeChangedError(name);
  return now;
}

/** Returns a volume as it is now. @throws VolumeChangedError if it is not the one that was seen; EngineError. */
export async function inspectSame(
  connection: Connection,
  seen: Volume,
  signal?: AbortSignal,
): Promise<Volume> {
  const now = await inspectVolume(connection, seen.name, signal);
  if (await isSameVolume(connection, now, seen, signal)) return now;
  throw new VolumeChangedError(seen.name);
}

/** Identifies a volume among others that had the same name. */
export type SeenVolume = Pick<Volume, 'createdAt' | 'driver' | 'labels' | 'options'>;

/**
 * Whether a volume is the one that was seen: its driver, labels and options never change, and another one of the same
 * name has another age. One that was created again with the same is not noticed if the engine changes the age when
 * containers write to a volume, nor within the same second if the engine reports whole seconds, as Docker does.
 */
export async function isSameVolume(
  connection: Connection,
  now: SeenVolume,
  seen: SeenVolume,
  signal?: AbortSignal,
): Promise<boolean> {
  if (isUnchanged(now, seen)) return true;
  const { keepsVolumeAge } = capabilitiesOf(await connection.info(signal));
  return !keepsVolumeAge && isUnchanged(now, { ...seen, createdAt: now.createdAt });
}

/** Like `isSameVolume`, but one that containers may have written to since is another one. */
export function isUnchanged(now: SeenVolume, seen: SeenVolume): boolean {
  const facts = ({ createdAt, driver, labels, options }: SeenVolume): readonly unknown[] => {
    // The proof says more than the rest, of which the response to a creation can have less.
    const creation = seen.labels[CREATION_LABEL];
    return [
      createdAt,
      ...(creation === undefined ? [driver, labels, options] : [labels[CREATION_LABEL]]),
    ];
  };
  return isDeepStrictEqual(facts(now), facts(seen));
}

/**
 * Lists the containers that mount a volume, running or not, without Gantry's own: `GET /containers/json`. Engines
 * have a filter for it, but not all of them find every user with it.
 */
export async function usersOfVolume(
  connection: Connection,
  name: string,
  signal?: AbortSignal,
): Promise<readonly Container[]> {
  const all = await containersOfVolume(connection, name, signal);
  return all.filter((one) => !isTemporaryContainer(one));
}

async function containersOfVolume(
  connection: Connection,
  name: string,
  signal: AbortSignal | undefined,
): Promise<readonly Container[]> {
  const all = await listContainers(connection, { all: true }, signal);
  return all.filter(({ mounts }) => mounts.some(({ volume }) => volume === name));
}

/** Removes Gantry's own containers of a volume. @throws VolumeInUseError; `error` if no container uses it. */
async function releaseVolume(
  connection: Connection,
  name: string,
  error: unknown,
  signal: AbortSignal | undefined,
): Promise<void> {
  const all = await containersOfVolume(connection, name, signal);
  const users = all.filter((one) => !isTemporaryContainer(one));
  if (users.length > 0) throw new VolumeInUseError(name, users, error);
  if (all.length === 0) throw error;
  for (const { id } of all) await removeLeftBehind(connection, id);
}

async function remove(
  connection: Connection,
  name: string,
  limitMs: number,
  signal: AbortSignal | undefined,
): Promise<{ readonly outcome: 'removed' | 'alreadyGone' }> {
  const sent = connection.send({ method: 'DELETE', path: volumePath(name), limitMs, signal });
  return { outcome: (await unlessNotFound(sent)) ? 'removed' : 'alreadyGone' };
}
