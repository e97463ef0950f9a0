import { VolumeInUseError, VolumeChangedError } from './volumeErrors.ts';
import { failedWith } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import type { Volume } from '../model.ts';
import { removeVolume } from './removeVolume.ts';

/**
 * Removes volumes one after the other. Each is looked up again right before: it is kept if another volume has its
 * name now, or if a container uses it.
 */
export async function removeVolumes(
  connection: Connection,
  volumes: readonly Volume[],
  signal?: AbortSignal,
): Promise<RemovedVolumes> {
  const removed: string[] = [];
  const kept = new Map<string, unknown>();
  for (const volume of volumes) {
    signal?.throwIfAborted();
    try {
      await removeVolume(connection, volume.name, volume, signal);
      removed.push(volume.name);
    } catch (error) {
      if (!isOfOne(error)) throw error;
      kept.set(volume.name, error);
    }
  }
  return { removed, kept };
}

/** The result of removing several volumes. */
export interface RemovedVolumes {
  /** Names. */
  readonly removed: readonly string[];
  /** Why a volume was not removed: the error, by name. */
  readonly kept: ReadonlyMap<string, unknown>;
}

/** Whether an error says nothing about the other volumes. */
function isOfOne(error: unknown): boolean {
  const isKept = error instanceof VolumeInUseError || error instanceof VolumeChangedError;
  return isKept || failedWith(error, 'conflict', 'failed');
}
