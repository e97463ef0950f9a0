import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { NewEntry } from '../engine/archive/writeTar.ts';

/**
 * Files and folders of this machine as entries of a tar, each under its own name; links as they are. What is neither
 * of these is left out.
 *
 * @param paths full paths.
 * @throws what the file system throws.
 */
export async function* localEntries(
  paths: readonly string[],
  options: UploadOptions = {},
): AsyncGenerator<NewEntry> {
  for (const path of paths) yield* entriesOf(path, basename(path), options);
}

/** What of this machine's files goes into a container. */
export interface UploadOptions {
  /** Hears how many bytes were read since the last time. */
  readonly onBytes?: (count: number) => void;
}

async function* entriesOf(
  path: string,
  name: string,
  options: UploadOptions,
): AsyncGenerator<NewEntry> {
  const stat = await lstat(path);
  const permissions = permissionsOf(stat.mode, stat.isDirectory());
  const own = { name, permissions, modifiedAt: stat.mtimeMs };
  if (stat.isSymbolicLink()) {
    yield { ...own, kind: 'link', linkTarget: (await readlink(path)).replaceAll('\\', '/') };
  } else if (stat.isFile()) {
    yield { ...own, kind: 'file', size: stat.size, open: () => read(path, stat.size, options) };
  } else if (stat.isDirectory()) {
    yield { ...own, kind: 'folder' };
    const names = (await readdir(path)).sort();
    for (const inner of names) yield* entriesOf(join(path, inner), `${name}/${inner}`, options);
  }
}

/** As many bytes as were said: a file that grows meanwhile is taken as it was. */
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

/** Windows knows no such bits. */
function permissionsOf(mode: number, isFolder: boolean): number {
  if (process.platform !== 'win32') return mode & 0o777;
  return isFolder ? 0o755 : 0o644;
}
