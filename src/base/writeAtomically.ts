import { randomBytes } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { link, lstat, open, rename, unlink, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Writes bytes to a file completely or not at all. They go to a temporary file next to it, so that the
 * existing file stays until the new one is complete, and nothing is left after a failure. The source is read
 * only as fast as the disk writes.
 *
 * @param path absolute.
 * @returns the number of bytes written.
 * @throws FileExistsError if the file exists and `overwrite` is false, or if another file has its name when the
 * new one is complete: only what was there at the start is replaced. Errors of the source; file system errors.
 */
export async function writeAtomically(
  source: AsyncIterable<Uint8Array>,
  path: string,
  { overwrite, token = newPartToken(), onBytes }: AtomicWriteOptions,
): Promise<number> {
  const seen = await stampAt(path);
  if (seen && !overwrite) throw new FileExistsError(path);
  const part = partPath(path, token);
  const file = await open(part, 'wx');
  const own = stampOf(await file.stat({ bigint: true }));
  try {
    const size = await pour(source, file, onBytes);
    await placeFile(part, path, seen);
    return size;
  } catch (error) {
    await removeOwn(part, own);
    throw error;
  }
}

/** Options of `writeAtomically`. */
export interface AtomicWriteOptions {
  /** Whether an existing file is replaced. */
  readonly overwrite: boolean;
  /** See `newPartToken`. */
  readonly token?: string | undefined;
  /** Called with the total bytes written, after each chunk. */
  readonly onBytes?: (written: number) => void;
}

async function pour(
  source: AsyncIterable<Uint8Array>,
  file: FileHandle,
  onBytes: ((written: number) => void) | undefined,
): Promise<number> {
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

/** Returns a random text that names the files of one write: only this write has made a file with it. */
export function newPartToken(): string {
  return randomBytes(8).toString('hex');
}

/** Returns where a file is written until it is complete. The name is not longer than file systems allow. */
export function partPath(path: string, token: string): string {
  const name = basename(path);
  const start = Buffer.byteLength(name) > LONGEST_NAME ? name.slice(0, CUT_NAME) : name;
  return join(dirname(path), start + partEnding(token));
}

/** In bytes. File systems allow 255. */
const LONGEST_NAME = 220;
/** In characters, of up to 3 bytes. */
const CUT_NAME = 70;

/** Returns how the names of the files of one write end until they are complete. */
export function partEnding(token: string): string {
  return `.${token}.part`;
}

/** The file already exists, or is not the one that may be replaced. */
export class FileExistsError extends Error {
  override readonly name = 'FileExistsError';
}

/** Which file has a name, and in which state. */
export type FileStamp = Pick<BigIntStats, 'dev' | 'ino' | 'size' | 'mtimeNs'> & {
  readonly isFolder: boolean;
  readonly isFile: boolean;
};

/** Returns what has this name, without following a link; undefined if nothing has it. */
export async function stampAt(path: string): Promise<FileStamp | undefined> {
  try {
    return stampOf(await lstat(path, { bigint: true }));
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Returns what identifies the file at a path and its contents, as text; undefined if that is not known. */
export async function sightOf(path: string): Promise<string | undefined> {
  const found = await stampAt(path).catch(() => undefined);
  return found && [found.dev, found.ino, found.size, found.mtimeNs].join(' ');
}

export function stampOf(stats: BigIntStats): FileStamp {
  const { dev, ino, size, mtimeNs } = stats;
  return { dev, ino, size, mtimeNs, isFolder: stats.isDirectory(), isFile: stats.isFile() };
}

/** Whether both are the same file, in whatever state. */
export function isSameFile(one: FileStamp | undefined, other: FileStamp): boolean {
  return one?.dev === other.dev && one.ino === other.ino;
}

/**
 * Gives a complete file its final name. Replaces only the file that was seen there, unchanged.
 *
 * @param seen what had the name before; undefined if nothing had it.
 * @param makeLink creates a hard link.
 * @throws FileExistsError if another file has the name by now; file system errors. The part stays then.
 */
export async function placeFile(
  part: string,
  path: string,
  seen: FileStamp | undefined,
  makeLink: typeof link = link,
): Promise<void> {
  const found = await stampAt(path);
  if (!found) {
    await placeNew(part, path, makeLink);
    return;
  }
  if (!seen || !isUnchanged(found, seen)) throw new FileExistsError(path);
  await rename(part, path);
}

/** Removes a file of ours. Another file that has its name by now stays. Never rejects. */
export async function removeOwn(path: string, own: FileStamp): Promise<void> {
  try {
    if (isSameFile(await stampAt(path), own)) await unlink(path);
  } catch {
    // The failure that led here is the one to report.
  }
}

/** Returns the system error code (such as `ENOENT`), or an empty string if it is not a system error. */
export function systemErrorCode(error: unknown): string {
  const { code } = (error instanceof Error ? error : {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : '';
}

function isUnchanged(one: FileStamp, other: FileStamp): boolean {
  return isSameFile(one, other) && one.size === other.size && one.mtimeNs === other.mtimeNs;
}

async function placeNew(part: string, path: string, makeLink: typeof link): Promise<void> {
  try {
    await makeLink(part, path);
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') throw new FileExistsError(path);
    await renameToReserved(part, path);
    return;
  }
  // The file is complete, whatever becomes of its other name.
  await unlink(part).catch(() => undefined);
}

/** For file systems without hard links: an empty file keeps the name from others until the rename replaces it. */
async function renameToReserved(part: string, path: string): Promise<void> {
  const file = await open(path, 'wx').catch((error: unknown) => {
    throw systemErrorCode(error) === 'EEXIST' ? new FileExistsError(path) : error;
  });
  const own = stampOf(await file.stat({ bigint: true }));
  await file.close();
  const found = await stampAt(path);
  if (!found || !isUnchanged(found, own)) throw new FileExistsError(path);
  try {
    await rename(part, path);
  } catch (error) {
    await removeOwn(path, own);
    throw error;
  }
}
