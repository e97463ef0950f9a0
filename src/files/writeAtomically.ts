import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';

/**
 * Writes bytes to a file completely or not at all. They go to a temporary file next to it, so that the
 * existing file stays until the new one is complete, and nothing is left after a failure. The source is read
 * only as fast as the disk writes.
 *
 * @param path absolute.
 * @returns the number of bytes written.
 * @throws FileExistsError if the file exists and `overwrite` is false; errors of the source; file system
 * errors.
 */
export async function writeAtomically(
  source: AsyncIterable<Uint8Array>,
  path: string,
  { overwrite, onBytes }: AtomicWriteOptions,
): Promise<number> {
  const part = `${path}.${randomBytes(4).toString('hex')}.part`;
  // Reserve the name now, so that a file created by another process in the meantime is not overwritten.
  const release = overwrite ? undefined : await reserve(path);
  try {
    const size = await writePart(source, part, onBytes);
    await rename(part, path);
    return size;
  } catch (error) {
    await rm(part, { force: true });
    await release?.();
    throw error;
  }
}

/** Options of `writeAtomically`. */
export interface AtomicWriteOptions {
  /** Whether an existing file is replaced. */
  readonly overwrite: boolean;
  /** Called with the total bytes written, after each chunk. */
  readonly onBytes?: (written: number) => void;
}

/** The file already exists and must not be overwritten. */
export class FileExistsError extends Error {
  override readonly name = 'FileExistsError';
}

async function reserve(path: string): Promise<() => Promise<void>> {
  const file = await open(path, 'wx').catch((error: unknown) => {
    throw systemErrorCode(error) === 'EEXIST' ? new FileExistsError(path) : error;
  });
  await file.close();
  return () => rm(path, { force: true });
}

async function writePart(
  source: AsyncIterable<Uint8Array>,
  part: string,
  onBytes: ((written: number) => void) | undefined,
): Promise<number> {
  const file = await open(part, 'wx');
  let written = 0;
  try {
    for await (const chunk of source) {
      // `writeFile` writes the whole chunk: on a nearly full disk, `write` writes less without an error.
      await file.writeFile(chunk);
      written += chunk.length;
      onBytes?.(written);
    }
    // Some file systems report a full disk only on sync.
    await file.sync();
    return written;
  } finally {
    await file.close();
  }
}

/** Returns the system error code (such as `ENOENT`), or an empty string if it is not a system error. */
export function systemErrorCode(error: unknown): string {
  const { code } = (error instanceof Error ? error : {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : '';
}
