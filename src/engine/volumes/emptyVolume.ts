import type { L10n } from '../../l10n.ts';
import { oneLine } from '../../plainText.ts';
import { VolumeChangedError, VolumeLostError } from './volumeErrors.ts';
import { capabilitiesOf } from '../capabilities.ts';
import { InputError, isLost } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import type { Volume } from '../model.ts';
import { findVolume } from './createVolume.ts';
import { badAnswer } from '../http/readReply.ts';
import { isSameVolume, removeVolume, type SeenVolume } from './removeVolume.ts';
import { inspectVolume, readVolume } from './volumes.ts';

/**
 * Removes a volume and creates it again with the same driver, labels and options, because engines cannot delete its
 * files otherwise. Neither is canceled by the signal: the volume would be missing. If the answer to the removal is
 * lost, what became of the volume is looked up.
 *
 * @throws InputError, VolumeInUseError, VolumeChangedError and EngineError if nothing was changed; VolumeLostError.
 */
export async function emptyVolume(
  connection: Connection,
  name: string,
  seen: SeenVolume | undefined,
  l10n: L10n,
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'emptied' }> {
  const volume = await inspectVolume(connection, name, signal);
  if (seen && !(await isSameVolume(connection, volume, seen, signal)))
    throw new VolumeChangedError(name);
  checkEmptiable(volume, l10n);
  signal?.throwIfAborted();
  const remove = () => removeVolume(connection, name, undefined, undefined, REMOVAL_LIMIT_MS);
  try {
    // Once more after a cut: the engine may still be at it, and then the second request waits for its end.
    await remove().catch((error: unknown) => {
      if (isLost(error)) return remove();
      throw error;
    });
  } catch (error) {
    if (await isThere(connection, volume, error)) throw error;
  }
  try {
    await restoreVolume(connection, volume);
  } catch (error) {
    if (!(await isThere(connection, volume, error))) throw new VolumeLostError(volume, error);
  }
  return { outcome: 'emptied' };
}

/**
 * Refuses a volume whose options have a device, such as a folder of the host or a share of a server. Its files are
 * there, and engines only unmount it. A `tmpfs` has its files only while it is mounted.
 *
 * @throws InputError.
 */
export function checkEmptiable({ name, driver, options }: Volume, l10n: L10n): void {
  const { type, device = '' } = options;
  if (driver !== 'local' || device === '' || type === 'tmpfs') return;
  throw new InputError(
    l10n.t(
      'The files of {0} are at {1}, where the engine does not delete them. Delete them there.',
      name,
      oneLine(device),
    ),
  );
}

/**
 * Whether there is a volume of this name after a request that failed.
 *
 * @throws VolumeLostError if that is not known.
 */
async function isThere(connection: Connection, volume: Volume, error: unknown): Promise<boolean> {
  try {
    return (await findVolume(connection, volume.name)) !== undefined;
  } catch {
    throw new VolumeLostError(volume, error, false);
  }
}

/** Creates a volume like one that was removed: `POST /volumes/create`. @throws EngineError. */
export async function restoreVolume(connection: Connection, volume: Volume): Promise<void> {
  const { name, driver, labels, options } = volume;
  const { keepsVolumeOptions } = capabilitiesOf(await connection.info());
  const DriverOpts = Object.fromEntries(
    // The added ones, such as `UID`, are refused.
    Object.entries(options).filter(([key]) => keepsVolumeOptions || !/^[A-Z]+$/.test(key)),
  );
  const body = { Name: name, Driver: driver, Labels: labels, DriverOpts };
  const request = { method: 'POST', path: '/volumes/create', body, limitMs: LIMIT_MS } as const;
  const made = readVolume((await connection.send(request)).json());
  if (made?.name !== name) throw badAnswer(connection, 'POST /volumes/create');
}

const LIMIT_MS = 120_000;
/** The engine deletes the files before it responds. */
const REMOVAL_LIMIT_MS = 600_000;
