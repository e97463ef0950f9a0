import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { ContextError } from './contextError.ts';

/** In bytes. */
const CHUNK = 256 * 1024;

/**
 * Yields as much of a file as was listed: one that grows meanwhile is cut.
 *
 * @throws ContextError `changed` if it is shorter now, or no file any more; `unreadable`.
 */
export async function* readContextFile(
  root: string,
  path: string,
  size: number,
): AsyncGenerator<Uint8Array> {
  const file = await openFile(root, path);
  try {
    if (!(await file.stat()).isFile()) throw new ContextError('changed', path);
    for (let at = 0; at < size;) {
      const wanted = Math.min(CHUNK, size - at);
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(wanted), 0, wanted, at);
      if (bytesRead === 0) throw new ContextError('changed', path);
      yield buffer.subarray(0, bytesRead);
      at += bytesRead;
    }
  } finally {
    await file.close();
  }
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
