import { createReadStream, type Stats } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import type { Upload } from '../engine/http/engineRequest.ts';

/**
 * Returns a file as a request body that is streamed from disk. Opens the file once up front, so that an
 * unreadable file fails before any request is sent.
 *
 * @param path absolute.
 * @param onBytes called with the bytes read so far and the file size, after each chunk.
 * @throws FileProblemError; file system errors.
 */
export async function archiveUpload(
  path: string,
  type: string,
  onBytes?: (read: number, size: number) => void,
): Promise<Upload> {
  const { size } = checkArchive(await stat(path));
  await open(path, 'r').then((file) => file.close());
  return {
    type,
    size,
    open: () => counted(createReadStream(path, { highWaterMark: PIECE }), size, onBytes),
  };
}

/**
 * Like `archiveUpload`, of a file that is open, and stays so until the caller closes it.
 *
 * @throws FileProblemError; file system errors.
 */
export async function openArchiveUpload(
  file: FileHandle,
  onBytes?: (read: number, size: number) => void,
): Promise<Upload> {
  const { size } = checkArchive(await file.stat());
  const read = () => file.createReadStream({ start: 0, autoClose: false, highWaterMark: PIECE });
  return { type: '', size, open: () => counted(read(), size, onBytes) };
}

/** Returns the facts of a file. @throws FileProblemError if it cannot be an archive. */
export function checkArchive(found: Stats): Stats {
  if (found.isDirectory()) throw new FileProblemError('folder');
  // Opening a named pipe would block until its other end is opened.
  if (!found.isFile()) throw new FileProblemError('notAFile');
  if (found.size === 0) throw new FileProblemError('empty');
  return found;
}

export type FileProblem = 'folder' | 'notAFile' | 'empty';

/** The file cannot be an archive, whatever its contents: a folder, a special file, or an empty file. */
export class FileProblemError extends Error {
  override readonly name = 'FileProblemError';
  readonly problem: FileProblem;

  constructor(problem: FileProblem) {
    super(problem);
    this.problem = problem;
  }
}

/** Chunk size for reading, in bytes. */
const PIECE = 256 * 1024;

async function* counted(
  source: AsyncIterable<unknown>,
  size: number,
  onBytes: ((read: number, size: number) => void) | undefined,
): AsyncGenerator<Uint8Array> {
  let read = 0;
  for await (const chunk of source) {
    const bytes = chunk as Uint8Array;
    read += bytes.length;
    onBytes?.(read, size);
    yield bytes;
  }
}
