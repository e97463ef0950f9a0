import { randomBytes } from 'node:crypto';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';

/**
 * Writes bytes to a file: whole or not at all. They go to a file beside it, so that what was there stays until the
 * new one is complete, and nothing is left of a half one. No more is asked for than the disk takes.
 *
 * @param path absolute.
 * @returns how many bytes there were.
 * @throws FileExistsError where there is one and `overwrite` is false; the source's error; the file system's.
 */
export async function writeAtomically(
  source: AsyncIterable<Uint8Array>,
  path: string,
  { overwrite, onBytes }: AtomicWriteOptions,
): Promise<number> {
  const part = `${path}.${randomBytes(4).toString('hex')}.part`;
  // The name is taken at once: what another makes of it meanwhile is not overwritten either.
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

/** How bytes become a file. */
export interface AtomicWriteOptions {
  /** Whether a file that is there is replaced. */
  readonly overwrite: boolean;
  /** How many bytes are written, each time it grew. */
  readonly onBytes?: (written: number) => void;
}

/** There is a file of this name, and nobody said that it may go. */
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
      await writeAll(file, chunk);
      written += chunk.length;
      onBytes?.(written);
    }
    // Some file systems tell only now that there is no room.
    await file.sync();
    return written;
  } finally {
    await file.close();
  }
}

/** A disk that is nearly full takes a part without an error. */
async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length;) {
    const { bytesWritten } = await file.write(chunk, at);
    at += bytesWritten;
  }
}

/** The operating system's word for what went wrong; empty where it is none of its errors. */
export function systemErrorCode(error: unknown): string {
  const { code } = (error instanceof Error ? error : {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : '';
}
