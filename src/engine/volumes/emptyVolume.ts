import { isDeepStrictEqual } from 'node:util';
import { oneLine } from '../../base/plainText.ts';
import { VolumeChangedError, VolumeLostError } from './volumeErrors.ts';
import { capabilitiesOf } from '../capabilities/capabilities.ts';
import { InputError, isLost } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import type { Volume } from '../model.ts';
import { CREATION_LABEL, findVolume, newCreation } from './createVolume.ts';
import { badAnswer } from '../http/readReply.ts';
import { isSameVolume, isUnchanged, removeVolume, type SeenVolume } from './removeVolume.ts';
import { inspectVolume, readVolume } from './volumes.ts';

/**
 * Removes a volume and creates it again with the same driver, labels and options, because engines cannot delete its
 * files otherwise. Neither is canceled by the signal: the volume would be missing. If the answer to the removal is
 * lost, what became of the volume is looked up. Another volume that has its name by then stays.
 *
 * @throws InputError, VolumeInUseError, VolumeChangedError and EngineError if nothing was changed; VolumeChangedError
 *   with `isRemoved`; VolumeLostError.
 */
export async function emptyVolume(
  connection: Connection,
  name: string,
  seen: SeenVolume | undefined,
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'emptied' }> {
  const volume = await inspectVolume(connection, name, signal);
  if (seen && !(await isSameVolume(connection, volume, seen, signal)))
    throw new VolumeChangedError(name);
  checkEmptiable(volume);
  signal?.throwIfAborted();
  await removeForSure(connection, volume);
  try {
    await restoreVolume(connection, volume);
  } catch (error) {
    if (error instanceof VolumeChangedError) throw error;
    const now = await findAfter(connection, volume, error);
    if (!now) throw new VolumeLostError(volume, error);
    if (!isLike(now, volume)) throw new VolumeChangedError(name, true);
  }
  return { outcome: 'emptied' };
}

/**
 * Removes a volume that was just inspected. If the answer is lost, the engine may still be at it: a look-up waits for
 * the end, and only a volume that is still the same is removed once more.
 *
 * @throws as `emptyVolume`. The volume is gone if nothing is thrown.
 */
async function removeForSure(connection: Connection, volume: Volume): Promise<void> {
  const { name } = volume;
  const remove = () => removeVolume(connection, name, volume, undefined, REMOVAL_LIMIT_MS);
  try {
    await remove().catch(async (error: unknown) => {
      if (!isLost(error)) throw error;
      const now = await findAfter(connection, volume, error);
      // An engine that changes the age of a volume could have another one with the same labels by now.
      if (now && !isUnchanged(now, volume)) throw new VolumeChangedError(name, true);
      if (now)
        await remove().catch((again: unknown) => {
          throw again instanceof VolumeChangedError ? new VolumeChangedError(name, true) : again;
        });
    });
  } catch (error) {
    if (error instanceof VolumeChangedError || error instanceof VolumeLostError) throw error;
    if (await findAfter(connection, volume, error)) throw error;
  }
}

/**
 * Refuses a volume whose files engines may not delete when they remove it: that of a plugin, which can be a share that
 * is only unmounted, and one whose options have a device, such as a folder of the host. A `tmpfs` has its files only
 * while it is mounted.
 *
 * @throws InputError.
 */
export function checkEmptiable({ name, driver, options }: Volume): void {
  if (driver !== 'local') {
    throw InputError.of(
      'The driver {1} may keep the files of {0} when the volume is removed. Delete them in a container.',
      name,
      driver || '?',
    );
  }
  const { type, device = '' } = options;
  if (device === '' || type === 'tmpfs') return;
  throw InputError.of(
    'The files of {0} are at {1}, where the engine does not delete them. Delete them there.',
    name,
    oneLine(device),
  );
}

/**
 * Returns the volume that has the name after a request that failed.
 *
 * @throws VolumeLostError if that is not known.
 */
async function findAfter(
  connection: Connection,
  volume: Volume,
  error: unknown,
): Promise<Volume | undefined> {
  try {
    return await findVolume(connection, volume.name);
  } catch {
    throw new VolumeLostError(volume, error, false);
  }
}

/**
 * Creates a volume like one that was removed: `POST /volumes/create`.
 *
 * @throws VolumeChangedError if there is another one; EngineError.
 */
export async function restoreVolume(connection: Connection, volume: Volume): Promise<void> {
  const { name, driver, labels, options } = volume;
  const { keepsVolumeOptions } = capabilitiesOf(await connection.info());
  const DriverOpts = Object.fromEntries(
    // The added ones, such as `UID`, are refused.
    Object.entries(options).filter(([key]) => keepsVolumeOptions || !/^[A-Z]+$/.test(key)),
  );
  // It is another volume than the one that a clone created.
  const creation = Object.hasOwn(labels, CREATION_LABEL) && { [CREATION_LABEL]: newCreation() };
  const body = { Name: name, Driver: driver, Labels: { ...labels, ...creation }, DriverOpts };
  const request = { method: 'POST', path: '/volumes/create', body, limitMs: LIMIT_MS } as const;
  const made = readVolume((await connection.send(request)).json());
  if (made?.name !== name) throw badAnswer(connection, 'POST /volumes/create');
  if (!isLike(made, volume)) throw new VolumeChangedError(name, true);
}

/** Whether a volume has the driver and labels of another one. Podman adds options in some responses. */
function isLike(made: Volume, { driver, labels }: Volume): boolean {
  const withoutCreation = (all: Volume['labels']) => ({ ...all, [CREATION_LABEL]: '' });
  return (
    made.driver === driver &&
    isDeepStrictEqual(withoutCreation(made.labels), withoutCreation(labels))
  );
}

const LIMIT_MS = 120_000;
/** The engine deletes the files before it responds. */
const REMOVAL_LIMIT_MS = 600_000;
