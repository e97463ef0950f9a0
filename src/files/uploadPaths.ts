import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { followPath, writeArchive } from '../engine/archive/archive.ts';
import { PathKindError } from '../engine/archive/pathStat.ts';
import { writeTar, type NewEntry } from '../engine/archive/writeTar.ts';
import type { FileSource } from './fileSource.ts';

/**
 * Uploads local files and folders into a folder of a container. Existing files are replaced, existing folders
 * are merged into.
 *
 * @param from absolute local paths.
 * @param folder the absolute path of an existing folder in the container; a link to a folder is followed.
 * @throws EngineError; PathKindError; UploadError if a file cannot be read; the signal's reason.
 */
export function uploadPaths(
  reach: FileSource,
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

/** Options of an upload. */
export interface UploadOptions {
  /** Called with the number of bytes read since the last call. */
  readonly onBytes?: (count: number) => void;
}

/**
 * Yields local files and folders as tar entries under their base names. Symbolic links are kept as links;
 * special files are skipped.
 *
 * @param folder the parent folder in the tar, with a trailing slash; empty for the top level.
 */
async function* localEntries(
  paths: readonly string[],
  options: UploadOptions,
  folder = '',
): AsyncGenerator<NewEntry> {
  for (const path of paths) {
    const stat = await lstat(path);
    const name = `${folder}${basename(path)}`;
    const permissions = permissionsOf(stat.mode, stat.isDirectory());
    const own = { name, permissions, modifiedAt: stat.mtimeMs };
    if (stat.isSymbolicLink()) {
      yield { ...own, kind: 'link', linkTarget: (await readlink(path)).replaceAll('\\', '/') };
    } else if (stat.isFile()) {
      yield { ...own, kind: 'file', size: stat.size, open: () => read(path, stat.size, options) };
    } else if (stat.isDirectory()) {
      yield { ...own, kind: 'folder' };
      const inner = (await readdir(path)).sort().map((one) => join(path, one));
      yield* localEntries(inner, options, `${name}/`);
    }
  }
}

/** Reads exactly the size announced in the header, even if the file grows in the meantime. */
async function* read(
  path: string,
  size: number,
  { onBytes }: UploadOptions,
): AsyncGenerator<Uint8Array> {
  if (size === 0) return;
  for await (const chunk of createReadStream(path, { end: size - 1 })) {
    const bytes = chunk as Uint8Array;
    onBytes?.(bytes.length);
    yield bytes;
  }
}

/** Windows has no permission bits. */
function permissionsOf(mode: number, isFolder: boolean): number {
  if (process.platform !== 'win32') return mode & 0o777;
  return isFolder ? 0o755 : 0o644;
}
