import { createHash } from 'node:crypto';
import { readArchive, statPath } from '../engine/archive/archive.ts';
import { failedWith } from '../engine/errors.ts';
import type { PathStat } from '../engine/archive/pathStat.ts';
import type { TarEntry } from '../engine/archive/readTar.ts';
import type { FileSource } from './review.ts';
import { TEXT_LIMIT, type ComparedFile } from './fileComparison.ts';

/**
 * Reads what a side has at a path; a link is not followed. Of a file of more than {@link TEXT_LIMIT} bytes only
 * the hash is kept.
 *
 * @returns undefined where there is nothing.
 * @throws EngineError.
 */
export async function readComparedFile(
  side: FileSource,
  path: string,
  signal?: AbortSignal,
): Promise<ComparedFile | undefined> {
  return unlessMissing(() =>
    side(signal, async (connection, container) => {
      const stat = await statPath(connection, container, path, signal);
      const found = ofStat(stat);
      if (stat.kind !== 'file' && stat.kind !== 'link') return found;
      // The first entry is the path itself.
      for await (const entry of readArchive(connection, container, path, signal)) {
        if (stat.kind === 'file') return { ...found, ...(await contentOf(entry)) };
        // As it was written, from an engine that does not follow it here.
        return entry.kind === 'link' ? { ...found, target: entry.linkTarget } : found;
      }
      return found;
    }),
  );
}

/** What a side has at a path, without what is in it. Undefined where there is nothing. @throws EngineError. */
export async function statComparedFile(
  side: FileSource,
  path: string,
  signal?: AbortSignal,
): Promise<PathStat | undefined> {
  return unlessMissing(() =>
    side(signal, (connection, container) => statPath(connection, container, path, signal)),
  );
}

async function unlessMissing<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (failedWith(error, 'notFound')) return undefined;
    throw error;
  }
}

function ofStat({ kind, size, permissions, linkTarget }: PathStat): ComparedFile {
  return { kind, size, mode: permissions, target: linkTarget, content: undefined };
}

async function contentOf(
  entry: TarEntry,
): Promise<Pick<ComparedFile, 'size' | 'content'> & { readonly hash?: string }> {
  const { size } = entry;
  if (size > TEXT_LIMIT) return { size, content: undefined, hash: await hashOf(entry) };
  const content = Buffer.allocUnsafe(size);
  let at = 0;
  // No more comes than the entry's header says, or the tar would be broken.
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
