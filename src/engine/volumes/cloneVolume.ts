import { VolumeChangedError, VolumeIncompleteError } from './volumeErrors.ts';
import type { Connection } from '../http/connection.ts';
import type { Volume } from '../model.ts';
import { CREATION_LABEL, createOwnVolume } from './createVolume.ts';
import { openVolume, type VolumeLoss, type VolumeSource } from './openVolume.ts';
import { inspectSame, removeVolume } from './removeVolume.ts';
import { writeVolumeFiles } from './writeVolumeFiles.ts';

/**
 * Copies all files of a volume to a new one of the driver `local`, with the labels of the volume but those of compose.
 * Its options are not copied: they could make both show the same files. After a failure, the new volume is removed.
 *
 * @throws VolumeExistsError; InputError for an invalid name; VolumeIncompleteError; VolumeChangedError if another
 *   volume has the name of the one that was looked at; EngineError.
 */
export async function cloneVolume(
  connection: Connection,
  name: string,
  to: string,
  { containers, reading, isFresh = false, labels = {}, onBytes }: VolumeClone,
  signal?: AbortSignal,
): Promise<ClonedVolume> {
  const found = isFresh ? reading.volume : await inspectSame(connection, reading.volume, signal);
  const own = Object.entries(found.labels).filter(
    ([key]) => !key.startsWith('com.docker.') && key !== CREATION_LABEL,
  );
  signal?.throwIfAborted();
  const request = { name: to, labels: { ...Object.fromEntries(own), ...labels } };
  const volume = await createOwnVolume(connection, request);
  return orRemoved(connection, volume, async () => {
    // Looked at again: it may have been replaced while the copy was created.
    const source = { containers, reading: { ...reading, volume: found } };
    await using files = await openVolume(connection, name, source, signal);
    const { summary } = files;
    const tar = () => counted(files.tar, onBytes);
    const target = { containers, tar, summary: () => summary, found: volume };
    const lost = await writeVolumeFiles(connection, to, target, signal);
    await files.check();
    const { entries, bytes } = summary;
    return { volume, entries, bytes, lost: [...new Set([...reading.losses, ...lost])] };
  });
}

interface VolumeClone extends VolumeSource {
  /** Further labels of the new volume. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Called with the number of bytes so far. */
  readonly onBytes?: (bytes: number) => void;
}

export interface VolumeCopy {
  /** The number of files, folders and others. */
  readonly entries: number;
  /** The size of all files. */
  readonly bytes: number;
  /** Metadata that was lost, or may have been. */
  readonly lost: readonly VolumeLoss[];
}

/** A new volume with the files of another one. */
export interface ClonedVolume extends VolumeCopy {
  readonly volume: Volume;
}

/**
 * Runs work on a new volume, which is removed if the work fails. Another volume that has its name now stays.
 *
 * @param volume from `createOwnVolume`: its label proves that it is ours.
 * @throws VolumeIncompleteError if it could not be removed; errors of work.
 */
export async function orRemoved<T>(
  connection: Connection,
  volume: Volume,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await removeUnfinished(connection, volume).catch(() => {
      throw new VolumeIncompleteError(volume, error);
    });
    throw error;
  }
}

/** Removes a volume that was created but not filled, unless another one has its name now. @throws EngineError. */
export async function removeUnfinished(connection: Connection, volume: Volume): Promise<void> {
  try {
    await removeVolume(connection, volume.name, volume);
  } catch (error) {
    if (!(error instanceof VolumeChangedError)) throw error;
  }
}

/** Yields the chunks and reports how many bytes there were. */
export async function* counted(
  source: AsyncIterable<Uint8Array>,
  onBytes: ((bytes: number) => void) | undefined,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    onBytes?.(bytes);
    yield chunk;
  }
}
