import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { ContextError } from './contextError.ts';

/** In bytes. */
const CHUNK = 256 * 1024;

/**
 * Yields as much of a file as was listed: if it has grown since, it is cut. The next piece is read while one is used.
 *
 * @throws ContextError `changed` if it is shorter now, or no file any more; `unreadable`.
 */
export async function* readContextFile(
  root: string,
  path: string,
  size: number,
): AsyncGenerator<Uint8Array> {
  const file = await openFile(root, path);
  let next = Promise.resolve(NOTHING);
  const readAhead = (at: number): void => {
    next = readPiece(file, at, size);
    // The error is thrown where the piece is used.
    next.catch(() => undefined);
  };
  try {
    if (!(await file.stat()).isFile()) throw new ContextError('changed', path);
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

const NOTHING: Buffer = Buffer.alloc(0);

/** Reads a piece; empty at the end. */
async function readPiece(file: FileHandle, at: number, size: number): Promise<Buffer> {
  const wanted = Math.min(CHUNK, size - at);
  if (wanted <= 0) return NOTHING;
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(wanted), 0, wanted, at);
  return buffer.subarray(0, bytesRead);
}

/** Opens a file, but no link: it could lead out of the context. A pipe does not make it wait. */
async function openFile(root: string, path: string): Promise<FileHandle> {
  // On Windows, the last two are undefined, which counts as 0.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  try {
    return await open(join(root, path), flags);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isOther = code === 'ENOENT' || code === 'ELOOP';
    throw new ContextError(isOther ? 'changed' : 'unreadable', path, error);
  }
}
