import { constants } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
import { dirname, isAbsolute, relative, sep } from 'node:path';

/**
 * Reads a file that others may have written, such as one of a repository, as a whole. Never waits for a pipe or a
 * terminal.
 *
 * @throws LocalFileError for what is not a file, lies elsewhere, or is too large; the error of Node.
 */
export async function readLocalFile(
  path: string,
  { within = dirname(path), limit = FILE_LIMIT }: LocalFileOptions = {},
): Promise<Buffer> {
  const real = await realpath(path);
  if (within !== false && !isBelow(await realpath(within), real))
    throw new LocalFileError('elsewhere', path);
  // On Windows, the last two are undefined, which counts as 0.
  const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new LocalFileError('notFile', path);
    // A folder on the way may have been replaced by a link since.
    if ((await realpath(real)) !== real) throw new LocalFileError('elsewhere', path);
    if (found.size > limit) throw new LocalFileError('tooLarge', path);
    // Its size may be wrong, as in `/proc`.
    const bytes = await readStart(file, limit + 1);
    if (bytes.length > limit) throw new LocalFileError('tooLarge', path);
    return bytes;
  } finally {
    await file.close();
  }
}

/**
 * Returns where a file really lies if a link leads out of the folder that it is in; otherwise undefined. Never rejects.
 */
export async function realFileOutside(path: string): Promise<string | undefined> {
  const [real, folder] = await Promise.all(
    [path, dirname(path)].map((one) => realpath(one).catch(() => undefined)),
  );
  return real === undefined || folder === undefined || isBelow(folder, real) ? undefined : real;
}

/** Reads at most this many bytes of a file that was just opened, which may also be a pipe. */
export async function readStart(file: FileHandle, limit: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let at = 0; at < limit;) {
    const wanted = Math.min(PIECE, limit - at);
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(wanted), 0, wanted, null);
    if (bytesRead === 0) break;
    pieces.push(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
  return Buffer.concat(pieces);
}

/** In bytes. */
const PIECE = 64 * 1024;

/**
 * Reads a file as UTF-8, as {@link readLocalFile} does. Resolves to undefined for what cannot be read. Never rejects.
 */
export async function readLocalText(
  path: string,
  options?: LocalFileOptions,
): Promise<string | undefined> {
  const read = await readLocalFile(path, options).catch(() => undefined);
  return read?.toString('utf8');
}

/** Whether a text is in UTF-16, which PowerShell writes and engines do not understand. */
export function isUtf16(text: Buffer): boolean {
  return ['fffe', 'feff'].includes(text.toString('hex', 0, 2)) || text.includes(0);
}

/** Limits of reading a file. */
interface LocalFileOptions {
  /**
   * A link is followed only to a file in this folder; by default the folder of the link, as BuildKit does. False for a
   * file that the user has named, which may be anywhere.
   */
  readonly within?: string | false;
  /** The largest file that is read, in bytes; by default 1 MiB. */
  readonly limit?: number;
}

/** Why a file is not read. */
export class LocalFileError extends Error {
  override readonly name = 'LocalFileError';
  readonly problem: 'elsewhere' | 'notFile' | 'tooLarge';

  constructor(problem: LocalFileError['problem'], path: string) {
    super(`${path}: ${problem}`);
    this.problem = problem;
  }
}

const FILE_LIMIT = 1024 * 1024;

function isBelow(folder: string, path: string): boolean {
  const rest = relative(folder, path);
  return !isAbsolute(rest) && rest !== '..' && !rest.startsWith(`..${sep}`);
}
