import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import type { Upload } from '../engine/http/engineRequest.ts';

/**
 * A file as bytes to be sent as they are read. It is opened once here, so that one that cannot be read is known
 * before anything is asked of an engine.
 *
 * @param path absolute.
 * @param onBytes how many of `size` bytes are read, each time it grew.
 * @throws FileProblemError; the file system's error.
 */
export async function archiveUpload(
  path: string,
  type: string,
  onBytes?: (read: number) => void,
): Promise<Upload & { readonly size: number }> {
  const { size, ...found } = await kindOf(path);
  if (found.isDirectory) throw new FileProblemError('folder');
  // To open a pipe is to wait for its other end.
  if (!found.isFile) throw new FileProblemError('notAFile');
  await open(path, 'r').then((file) => file.close());
  if (size === 0) throw new FileProblemError('empty');
  return { type, size, open: () => counted(path, onBytes) };
}

/** Why a file cannot be sent. */
export type FileProblem = 'folder' | 'notAFile' | 'empty';

/** A file that is no archive at all, whatever stands in it. */
export class FileProblemError extends Error {
  override readonly name = 'FileProblemError';
  readonly problem: FileProblem;

  constructor(problem: FileProblem) {
    super(problem);
    this.problem = problem;
  }
}

/** How much is read at once, in bytes. */
const PIECE = 256 * 1024;

async function kindOf(path: string) {
  const found = await stat(path);
  return { size: found.size, isFile: found.isFile(), isDirectory: found.isDirectory() };
}

async function* counted(
  path: string,
  onBytes: ((read: number) => void) | undefined,
): AsyncGenerator<Uint8Array> {
  let read = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: PIECE })) {
    const bytes = chunk as Uint8Array;
    read += bytes.length;
    onBytes?.(read);
    yield bytes;
  }
}
