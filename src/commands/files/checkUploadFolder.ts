import { followPath } from '../../engine/archive/archive.ts';
import { capabilitiesOf } from '../../engine/capabilities.ts';
import { containerMounts, type MountDetails } from '../../engine/containers/containerDetails.ts';
import { inspectContainer } from '../../engine/containers/containers.ts';
import { InputError } from '../../engine/errors.ts';
import { normalizePath } from '../../files/fileRoot.ts';
import { oneLine } from '../../plainText.ts';
import type { CommandContext } from '../commandContext.ts';
import type { FileLocation } from './fileLocation.ts';

/**
 * Checks that a container would see what is uploaded to a folder.
 *
 * @throws InputError if the engine would write under a mount in memory; EngineError.
 */
export async function checkUploadFolder(
  { root, path }: FileLocation,
  { files, ui }: CommandContext,
  signal: AbortSignal,
): Promise<void> {
  if (root.kind !== 'container') return;
  const { all } = await files();
  const found = await all.access(root)(async (connection) => {
    if (capabilitiesOf(await connection.info(signal)).writesToTmpfs) return undefined;
    const folder = await followPath(connection, root.id, path, signal);
    const mounts = containerMounts(await inspectContainer(connection, root.id, signal));
    return memoryAt(normalizePath(folder.path), mounts);
  }, signal);
  if (found === undefined) return;
  throw new InputError(
    ui.l10n.t(
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
