import { openArchive, writeArchive, type ArchiveRoot } from '../archive/archive.ts';
import { summarized, TarSummary } from '../archive/tarSummary.ts';
import { writeTar } from '../archive/writeTar.ts';
import { capabilitiesOf } from '../capabilities/capabilities.ts';
import type { Connection } from '../http/connection.ts';
import { ARCHIVE_TYPE } from '../images/imageArchive.ts';
import type { Volume } from '../model.ts';
import type { VolumeLoss } from './openVolume.ts';
import { checkMounted } from './checkMounted.ts';
import type { VolumeContainers } from './volumeContainers.ts';
import { isSameVolume } from './removeVolume.ts';
import { VolumeChangedError } from './volumeErrors.ts';
import { inspectVolume } from './volumes.ts';

/**
 * Extracts a tar into a volume, which should be empty. Files written before a failure stay.
 *
 * @param tar called once per attempt.
 * @param summary of the tar, after it was read.
 * @returns what is lost: Podman gives the folder itself to the user of the first container that mounts it.
 * @throws EngineError; VolumeUnmountedError; VolumeChangedError; UploadError if `tar` fails; the signal's reason.
 */
export async function writeVolumeFiles(
  connection: Connection,
  volume: string,
  {
    containers,
    tar,
    summary,
    found,
  }: {
    readonly containers: VolumeContainers;
    /** The volume as it was found or created: another one that has its name by now is not written to. */
    readonly found?: Volume;
    readonly tar: () => AsyncIterable<Uint8Array>;
    readonly summary: () => VolumeRoot;
  },
  signal?: AbortSignal,
): Promise<readonly VolumeLoss[]> {
  const can = capabilitiesOf(await connection.info(signal));
  if (can.keepsOwnersInCopies && !can.keepsOwnersInArchives) {
    const path = `/libpod/volumes/${encodeURIComponent(volume)}/import`;
    const upload = { type: ARCHIVE_TYPE, open: tar };
    const now = await inspectVolume(connection, volume, signal);
    if (found && !(await isSameVolume(connection, now, found, signal)))
      throw new VolumeChangedError(volume);
    await checkMounted(connection, now, signal);
    await connection.send({ method: 'POST', path, upload, limitMs: 0, signal });
    await checkMounted(connection, now, signal);
    return lostOfRoot(summary(), false);
  }
  // Without the signal: after an abort, the volume is free only once its container is removed.
  await using mounted = await containers.open(connection, volume, undefined, found);
  await writeArchive(connection, mounted.root, '/', tar, signal);
  if (can.changesFoldersByArchive) await restoreRoot(connection, mounted.root, summary(), signal);
  await mounted.check();
  return lostOfRoot(summary(), can.changesFoldersByArchive);
}

/** Without an entry for the folder, its owner and mode are unknown, so they may be lost. */
function lostOfRoot({ root }: VolumeRoot, isRestored: boolean): readonly VolumeLoss[] {
  if (root && isRestored) return [];
  return root?.uid === 0 && root.gid === 0 && root.mode === NEW_MODE ? [] : ['rootOwner'];
}

/** The mode of the folder of a new volume. */
const NEW_MODE = 0o755;

/** Known facts of the folder that has the files. */
type VolumeRoot = Partial<Pick<TarSummary, 'root'>>;

/** Restores the owner and mode of the volume itself: engines ignore the entry `./` of an archive. */
async function restoreRoot(
  connection: Connection,
  root: ArchiveRoot,
  { root: entryOfRoot }: VolumeRoot,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (!entryOfRoot || typeof root === 'string') return;
  const { mode: permissions, uid, gid, modifiedAt } = entryOfRoot;
  const name = `${root.folder.slice(1)}/`;
  const entry = { name, permissions, uid, gid, modifiedAt, kind: 'folder' } as const;
  await writeArchive(connection, root.container, '/', () => writeTar([entry]), signal);
}

/**
 * Whether a volume has no files.
 *
 * @param found the volume, if it was looked up right before.
 * @throws EngineError `notFound` if the volume does not exist; `cut` if the engine does not send the end of the tar.
 */
export async function isEmptyVolume(
  connection: Connection,
  volume: string,
  containers: VolumeContainers,
  signal?: AbortSignal,
  found?: Volume,
): Promise<boolean> {
  await using mounted = await containers.open(connection, volume, signal, found);
  const summary = new TarSummary();
  const where = { endpoint: connection.endpoint.url, operation: `GET /volumes/${volume}` };
  const tar = await openArchive(connection, mounted.root, '/.', signal);
  // To the end: nothing is not an answer.
  for await (const _ of summarized(tar, summary, where)) if (summary.entries > 0) break;
  await mounted.check();
  return summary.entries === 0;
}
