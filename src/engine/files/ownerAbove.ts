import { archiveContainer, readArchive, wholePath, type ArchiveRoot } from '../archive/archive.ts';
import { readFirstEntry } from '../archive/readTar.ts';
import { capabilitiesOf } from '../capabilities/capabilities.ts';
import type { Connection } from '../http/connection.ts';
import { statInside } from './fileFacts.ts';
import type { WriteJudgement } from './judgeWrite.ts';

/**
 * Returns the owner of a folder, which what is created in it gets; undefined if it is unknown.
 *
 * @param folder without links.
 */
export async function ownerAbove(
  connection: Connection,
  root: ArchiveRoot,
  folder: string,
  { container }: Pick<WriteJudgement, 'container'>,
  signal: AbortSignal | undefined,
): Promise<{ readonly uid: number; readonly gid: number } | undefined> {
  if (capabilitiesOf(await connection.info(signal)).keepsOwnersInArchives) {
    // Only the beginning of the archive, which has everything in the folder.
    const entries = readArchive(connection, root, folder, signal, readFirstEntry);
    for await (const { kind, owner } of entries) return kind === 'folder' ? owner : undefined;
  }
  if (container.state !== 'running') return undefined;
  return statInside(connection, archiveContainer(root), wholePath(root, folder), signal);
}
