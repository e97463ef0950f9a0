import * as l10n from '@vscode/l10n';
import { followPath, statPath } from '../../engine/archive/archive.ts';
import { PathKindError } from '../../engine/archive/pathStat.ts';
import { capabilitiesOf } from '../../engine/capabilities.ts';
import { containerMounts, type MountDetails } from '../../engine/containers/containerDetails.ts';
import { inspectContainer } from '../../engine/containers/containers.ts';
import { InputError, unlessNotFound } from '../../engine/errors.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { checkSeen, listUnseenMounts } from '../../engine/volumes/unseenMounts.ts';
import { joinPath, normalizePath } from '../../files/fileRoot.ts';
import { oneLine } from '../../base/plainText.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import type { FileLocation } from './fileLocation.ts';

/**
 * Checks that a container would see what is uploaded to a folder. Resolves to those of the names that exist in it.
 *
 * @throws InputError if the engine would write under a mount in memory; VolumeUnmountedError; PathKindError if it is not a folder;
 *   EngineError.
 */
export async function checkUploadFolder(
  { root, path }: FileLocation,
  names: readonly string[],
  { files }: CommandContext,
  signal: AbortSignal,
): Promise<readonly string[]> {
  // Each access to a volume creates a container.
  if (root.kind === 'volume' && names.length === 0) return [];
  const { all } = await files();
  return all.access(root)(async (connection, archive) => {
    const folder = await followPath(connection, archive, path, signal);
    if (folder.stat.kind !== 'folder') throw new PathKindError(path, folder.stat.kind);
    checkSeen(await listUnseenMounts(connection, archive, signal), folder.path);
    if (root.kind === 'container') await checkMounts(connection, root.id, folder.path, signal);
    const found: string[] = [];
    for (const name of names) {
      const there = statPath(connection, archive, joinPath(folder.path, name), signal);
      if (await unlessNotFound(there)) found.push(name);
    }
    return found;
  }, signal);
}

/** @param folder a path without links. */
async function checkMounts(
  connection: Connection,
  id: string,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  if (capabilitiesOf(await connection.info(signal)).writesToTmpfs) return;
  const mounts = containerMounts(await inspectContainer(connection, id, signal));
  const found = memoryAt(normalizePath(folder), mounts);
  if (found === undefined) return;
  throw new InputError(
    l10n.t(
      '{0} is a mount in memory that the engine cannot upload to. Use another folder or a volume.',
      oneLine(found, 200),
    ),
  );
}

type Mount = Pick<MountDetails, 'type' | 'target'>;

/** The mounts in memory that every container has. */
const SYSTEM: readonly Mount[] = ['/dev', '/proc', '/sys'].map((target) => {
  return { type: 'tmpfs', target };
});

/** Returns the mount that has a folder if it is in memory. */
function memoryAt(folder: string, mounts: readonly Mount[]): string | undefined {
  const [innermost] = [...mounts, ...SYSTEM]
    .map(({ type, target }) => ({ type, target: normalizePath(target) }))
    .filter(({ target }) => folder === target || folder.startsWith(`${target}/`))
    // The sort is stable: a mount replaces that of the system.
    .sort((a, b) => b.target.length - a.target.length);
  return innermost?.type === 'tmpfs' ? innermost.target : undefined;
}
