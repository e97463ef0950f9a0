import { createHash } from 'node:crypto';
import { readArchive, statPath, type ArchiveRoot } from '../engine/archive/archive.ts';
import { unlessNotFound } from '../engine/errors.ts';
import type { Connection } from '../engine/http/connection.ts';
import type { PathStat } from '../engine/archive/pathStat.ts';
import type { TarEntry } from '../engine/archive/readTar.ts';
import type { FileSource } from '../engine/volumes/fileSource.ts';
import { TEXT_LIMIT, type ComparedFile } from './fileComparison.ts';

/**
 * Reads a path on one side without following links. For files larger than {@link TEXT_LIMIT} bytes, returns
 * only the hash.
 *
 * @returns undefined if the path does not exist.
 * @throws EngineError `notFound` if the image of the side no longer exists.
 */
export async function readComparedFile(
  side: FileSource,
  path: string,
  signal?: AbortSignal,
): Promise<ComparedFile | undefined> {
  // Only the path: if the image is gone, it is not known whether the file was added.
  return side(
    (connection, container) => unlessNotFound(read(connection, container, path, signal)),
    signal,
  );
}

async function read(
  connection: Connection,
  root: ArchiveRoot,
  path: string,
  signal: AbortSignal | undefined,
): Promise<ComparedFile> {
  const stat = await statPath(connection, root, path, signal);
  const { kind, size, permissions: mode, linkTarget: target } = stat;
  const found: ComparedFile = { kind, size, mode, target, content: undefined };
  if (kind !== 'file' && kind !== 'link') return found;
  // The first entry is the path itself.
  for await (const entry of readArchive(connection, root, path, signal)) {
    if (kind === 'file') return { ...found, ...(await contentOf(entry)) };
    // The link target as written in the archive: the stat may have it resolved.
    return entry.kind === 'link' ? { ...found, target: entry.linkTarget } : found;
  }
  return found;
}

/** Returns the stat of a path on one side, or undefined if it does not exist. @throws EngineError. */
export async function statComparedFile(
  side: FileSource,
  path: string,
  signal?: AbortSignal,
): Promise<PathStat | undefined> {
  return unlessNotFound(
    side((connection, container) => statPath(connection, container, path, signal), signal),
  );
}

async function contentOf(
  entry: TarEntry,
): Promise<Pick<ComparedFile, 'size' | 'content' | 'hash'>> {
  const { size } = entry;
  if (size > TEXT_LIMIT) return { size, content: undefined, hash: await hashOf(entry) };
  const content = Buffer.allocUnsafe(size);
  let at = 0;
  // The tar reader ensures that the contents are not longer than the size in the header.
  for await (const piece of entry.contents) {
    content.set(piece, at);
    at += piece.length;
  }
  return { size, content: content.subarray(0, at) };
}

async function hashOf({ contents }: TarEntry): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of contents) hash.update(piece);
  return hash.digest('hex');
}
