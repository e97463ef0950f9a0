import { mkdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { followPath, PathKindError, readArchive, writeArchive } from '../engine/archive/archive.ts';
import type { TarEntry } from '../engine/archive/readTar.ts';
import { writeTar } from '../engine/archive/writeTar.ts';
import { writeEntries, type DownloadResult, type DownloadOptions } from './writeEntries.ts';
import { normalizePath } from './fileRoot.ts';
import type { ContainerAccess } from './fileTreeReader.ts';
import { safePath } from './safePath.ts';
import { localEntries, type UploadOptions } from './localEntries.ts';

/**
 * Writes a file or folder of a container to this machine; a link is followed.
 *
 * @param path full, in the container.
 * @param to the full path it is to have here; of a folder, one that is there is added to.
 * @throws LocalNameError; EngineError; PathKindError for a device; what the file system throws; the signal's reason.
 */
export function downloadPath(
  reach: ContainerAccess,
  path: string,
  to: string,
  options: Omit<DownloadOptions, 'root'>,
  signal?: AbortSignal,
): Promise<DownloadResult> {
  return reach(async (connection, id) => {
    // A container can be called `..`: what is made of its name is looked at here again.
    safePath(dirname(to), basename(to), options.platform);
    const { path: end, stat } = await followPath(connection, id, path, signal);
    if (stat.kind === 'folder') {
      await mkdir(to, { recursive: true });
      const inside = normalizePath(end) === '/' ? '/.' : `${normalizePath(end)}/.`;
      const entries = readArchive(connection, id, inside, signal);
      return writeEntries(entries, to, { ...options, root: end });
    }
    if (stat.kind === 'other') throw new PathKindError(path, stat.kind);
    const entries = renamed(readArchive(connection, id, end, signal), basename(to));
    return writeEntries(entries, dirname(to), { ...options, root: dirname(end) });
  }, signal);
}

/** A tar of one file, under the name that it is to have. */
async function* renamed(entries: AsyncIterable<TarEntry>, name: string): AsyncGenerator<TarEntry> {
  for await (const entry of entries) {
    yield { ...entry, name };
    return;
  }
}

/**
 * Writes files and folders of this machine into a folder of a container. What has the same name is replaced, folders
 * are added to.
 *
 * @param from full paths here.
 * @param folder an existing folder, by its full path in the container; a link to one is followed.
 * @throws EngineError; PathKindError; UploadError where a file cannot be read; the signal's reason.
 */
export function uploadPaths(
  reach: ContainerAccess,
  from: readonly string[],
  folder: string,
  options: UploadOptions,
  signal?: AbortSignal,
): Promise<void> {
  return reach(async (connection, id) => {
    const { path, stat } = await followPath(connection, id, folder, signal);
    if (stat.kind !== 'folder') throw new PathKindError(folder, stat.kind);
    const tar = (): AsyncIterable<Uint8Array> => writeTar(localEntries(from, options));
    await writeArchive(connection, id, path, tar, signal);
  }, signal);
}
