import { capabilitiesOf } from '../capabilities/capabilities.ts';
import type { Connection } from '../http/connection.ts';
import { hasProcess, type Volume } from '../model.ts';
import { usersOfVolume } from './removeVolume.ts';
import { VolumeUnmountedError } from './volumeErrors.ts';

/**
 * Checks that an engine reads and writes the files of a volume, and not the empty folder that they are mounted on:
 * some engines mount a folder of the host, a share, a `tmpfs` or what a plugin has only for a running container.
 *
 * @throws VolumeUnmountedError if no such container runs; EngineError.
 */
export async function checkMounted(
  connection: Connection,
  volume: Volume,
  signal?: AbortSignal,
): Promise<void> {
  if (!needsMount(volume)) return;
  if (capabilitiesOf(await connection.info(signal)).mountsVolumesToRead) return;
  const users = await usersOfVolume(connection, volume.name, signal);
  if (!users.some(hasProcess)) throw new VolumeUnmountedError(volume.name);
}

/**
 * Whether the files of a volume are not in a folder of the engine. Other options alone, such as an owner, mount
 * nothing.
 */
export function needsMount({ driver, options }: Volume): boolean {
  return driver !== 'local' || Object.hasOwn(options, 'type') || Object.hasOwn(options, 'device');
}
