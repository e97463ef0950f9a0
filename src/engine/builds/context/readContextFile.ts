import { constants } from 'node:fs';
import { lstat, open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { ContextError } from './contextError.ts';
import { identityOf, leadsThroughNoLink } from './contextRoot.ts';
import type { ContextEntry } from './walkContext.ts';

/** In bytes. */
const CHUNK = 256 * 1024;

/**
 * Yields as much of a file as was listed: if it has grown since, it is cut. The next piece is read while one is used.
 *
 * @param root from `realRoot`.
 * @throws ContextError `changed` if it is shorter now, no file any more, or in a folder that has been replaced by a
 * link; `unreadable`.
 */
export async function* readContextFile(
  root: string,
  listed: ListedFile,
): AsyncGenerator<Uint8Array> {
  const { path, size } = listed;
  const file = await openFile(root, listed);
  let next = Promise.resolve(NOTHING);
  const readAhead = (at: number): void => {
    next = readPiece(file, at, size);
    // The error is thrown where the piece is used.
    next.catch(() => undefined);
  };
  try {
    await checkFile(file, root, listed);
    readAhead(0);
    for (let at = 0; at < size;) {
      const piece = await next;
      if (piece.length === 0) throw new ContextError('changed', path);
      at += piece.length;
      readAhead(at);
      yield piece;
    }
  } finally {
    await next.catch(() => undefined);
    await file.close();
  }
}

/** A file that was replaced by another one is sent, but not one that is reached through a link. */
async function checkFile(
  file: FileHandle,
  root: string,
  { path, identity, source = path }: ListedFile,
): Promise<void> {
  const opened = await file.stat({ bigint: true });
  if (!opened.isFile()) throw new ContextError('changed', path);
  if (identityOf(opened) === identity) return;
  const now = await lstat(join(root, source), { bigint: true }).catch(() => undefined);
  const isSame = now !== undefined && identityOf(now) === identityOf(opened);
  if (!isSame || !(await leadsThroughNoLink(root, source))) throw new ContextError('changed', path);
}

/** Listed facts of a file. */
export type ListedFile = Pick<ContextEntry, 'path' | 'size' | 'identity' | 'source'>;

const NOTHING: Buffer = Buffer.alloc(0);

/** Reads a piece; empty at the end. */
async function readPiece(file: FileHandle, at: number, size: number): Promise<Buffer> {
  const wanted = Math.min(CHUNK, size - at);
  if (wanted <= 0) return NOTHING;
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(wanted), 0, wanted, at);
  return buffer.subarray(0, bytesRead);
}

/** Opens a file, but no link: it could lead out of the context. A pipe does not make it wait. */
async function openFile(root: string, { path, source = path }: ListedFile): Promise<FileHandle> {
  // On Windows, the last two are undefined, which counts as 0.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  try {
    return await open(join(root, source), flags);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isOther = code === 'ENOENT' || code === 'ELOOP';
    throw new ContextError(isOther ? 'changed' : 'unreadable', path, error);
  }
}
