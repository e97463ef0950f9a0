import { VolumeChangedError, VolumeLostError } from './volumeErrors.ts';
import { capabilitiesOf } from '../capabilities.ts';
import type { Connection } from '../http/connection.ts';
import type { Volume } from '../model.ts';
import { badAnswer } from '../http/readReply.ts';
import { removeVolume, type SeenVolume } from './removeVolume.ts';
import { inspectVolume, readVolume } from './volumes.ts';

/**
 * Removes a volume and creates it again with the same driver, labels and options, because engines cannot delete its
 * files otherwise. The second request is not canceled: the volume would be missing.
 *
 * @throws VolumeInUseError, VolumeChangedError and EngineError if nothing was changed; VolumeLostError.
 */
export async function emptyVolume(
  connection: Connection,
  name: string,
  seen?: SeenVolume,
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'emptied' }> {
  const volume = await inspectVolume(connection, name, signal);
  if (seen && volume.createdAt !== seen.createdAt) throw new VolumeChangedError(name);
  await removeVolume(connection, name, undefined, signal);
  try {
    await restoreVolume(connection, volume);
  } catch (error) {
    throw new VolumeLostError(volume, error);
  }
  return { outcome: 'emptied' };
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
