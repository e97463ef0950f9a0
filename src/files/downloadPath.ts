import { mkdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { followPath, readArchive } from '../engine/archive/archive.ts';
import { PathKindError } from '../engine/archive/pathStat.ts';
import type { TarEntry } from '../engine/archive/readTar.ts';
import {
  checkSeen,
  listUnseenMounts,
  readFolder,
  type UnreadMount,
} from '../engine/volumes/unseenMounts.ts';
import { writeEntries, type DownloadResult, type DownloadOptions } from './writeEntries.ts';
import type { FileSource } from '../engine/volumes/fileSource.ts';
import { safePath } from './safePath.ts';

/**
 * Downloads a file or folder from a container to the local machine. Symbolic links are followed.
 *
 * @param path absolute, in the container.
 * @param to the absolute local path to write to; an existing folder is merged into.
 * @throws LocalNameError; EngineError; VolumeUnmountedError; PathKindError for a device; file system errors; the
 * signal's reason.
 */
export function downloadPath(
  reach: FileSource,
  path: string,
  to: string,
  options: Omit<DownloadOptions, 'root'>,
  signal?: AbortSignal,
): Promise<DownloadResult> {
  return reach(async (connection, id) => {
    // The container decides the file name, which may be `..`: validate the local path here again.
    safePath(dirname(to), basename(to), options.platform);
    const unseen = await listUnseenMounts(connection, id, signal);
    const { path: end, stat } = await followPath(connection, id, path, signal).catch(
      (error: unknown) => {
        checkSeen(unseen, path);
        throw error;
      },
    );
    checkSeen(unseen, end);
    if (stat.kind === 'folder') {
      await mkdir(to, { recursive: true });
      const unread: UnreadMount[] = [];
      const reading = { unseen, onUnread: (one: UnreadMount) => unread.push(one) };
      const entries = readFolder(connection, id, end, reading, signal);
      const result = await writeEntries(entries, to, { ...options, root: end });
      const unmounted = unread.map(({ path: name }) => ({ name, reason: 'unmounted' as const }));
      return { ...result, leftOut: [...result.leftOut, ...unmounted] };
    }
    if (stat.kind === 'other') throw new PathKindError(path, stat.kind);
    const entries = renamed(readArchive(connection, id, end, signal), basename(to));
    return writeEntries(entries, dirname(to), { ...options, root: dirname(end) });
  }, signal);
}

/** Yields the only file of a tar stream under a new name. */
async function* renamed(entries: AsyncIterable<TarEntry>, name: string): AsyncGenerator<TarEntry> {
  for await (const entry of entries) {
    yield { ...entry, name };
    return;
  }
}
