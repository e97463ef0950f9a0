import { constants } from 'node:fs';
import { lstat, open, readdir, readlink, type FileHandle } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { followPath, writeArchive } from '../engine/archive/archive.ts';
import { NameEncodingError, PathKindError } from '../engine/archive/pathStat.ts';
import { writeTar, type NewEntry } from '../engine/archive/writeTar.ts';
import { UploadError } from '../engine/errors.ts';
import { checkUploadSeen, listUnseenMounts } from '../engine/volumes/unseenMounts.ts';
import type { FileSource } from '../engine/volumes/fileSource.ts';
import { isSameFile, stampAt, stampOf, type FileStamp } from '../base/writeAtomically.ts';

/**
 * Uploads local files and folders into a folder of a container. Existing files are replaced, existing folders are
 * merged into. Links are uploaded as links, and none is followed.
 *
 * @param from absolute local paths.
 * @param folder the absolute path of an existing folder in the container; a link to a folder is followed.
 * @returns the local paths of the sockets and devices, which are skipped.
 * @throws EngineError; VolumeUnmountedError; UnseenMountError; PathKindError; NameEncodingError, before anything is
 * written; UploadError if a file cannot be read or is replaced meanwhile; the signal's reason.
 */
export function uploadPaths(
  reach: FileSource,
  from: readonly string[],
  folder: string,
  options: UploadOptions,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  return reach(async (connection, id) => {
    const { path, stat } = await followPath(connection, id, folder, signal);
    if (stat.kind !== 'folder') throw new PathKindError(folder, stat.kind);
    const has = (inside: string): Promise<boolean> => isLocal(from, inside);
    await checkUploadSeen(await listUnseenMounts(connection, id, signal), path, has);
    await checkNames(from, signal);
    const skipped = new Set<string>();
    const tar = (): AsyncIterable<Uint8Array> =>
      writeTar(new LocalFiles(options, skipped).entries(from, '', []));
    await writeArchive(connection, id, path, tar, signal);
    return [...skipped];
  }, signal);
}

/** Whether local files and folders have a path, which begins with the name of one of them. */
async function isLocal(from: readonly string[], path: string): Promise<boolean> {
  const [first, ...rest] = path.split('/');
  const source = from.find((one) => basename(one) === first);
  if (source === undefined) return false;
  return lstat(join(source, ...rest)).then(
    () => true,
    () => false,
  );
}

interface UploadOptions {
  /** Called with the number of bytes read since the last call. */
  readonly onBytes?: (count: number) => void;
}

/** Walks everything that is uploaded. A tar can have no other names. */
async function checkNames(from: readonly string[], signal: AbortSignal | undefined): Promise<void> {
  try {
    for (const path of from) await checkNamesIn(path, signal);
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof NameEncodingError ? error : new UploadError(error);
  }
}

async function checkNamesIn(path: string, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  const stat = await lstat(path);
  if (stat.isSymbolicLink()) await linkTargetOf(path);
  else if (stat.isDirectory())
    for (const name of await namesIn(path)) await checkNamesIn(join(path, name), signal);
}

/** Returns the names in a folder in order. @throws NameEncodingError. */
async function namesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { encoding: 'buffer' });
  return names.map((name) => textOf(name, folder)).sort();
}

/** @throws NameEncodingError. */
async function linkTargetOf(path: string): Promise<string> {
  const target = await readlink(path, { encoding: 'buffer' });
  const text = target.toString();
  if (!Buffer.from(text).equals(target)) throw new NameEncodingError(path);
  return text.replaceAll('\\', '/');
}

function textOf(name: Buffer, folder: string): string {
  const text = name.toString();
  if (!Buffer.from(text).equals(name)) throw new NameEncodingError(join(folder, text));
  return text;
}

/** A folder that files are read from. */
interface Above {
  readonly path: string;
  readonly stamp: FileStamp;
}

/** The files of one attempt to upload. */
class LocalFiles {
  readonly #options: UploadOptions;
  readonly #skipped: Set<string>;

  constructor(options: UploadOptions, skipped: Set<string>) {
    this.#options = options;
    this.#skipped = skipped;
  }

  /**
   * Yields local files and folders as tar entries under their base names.
   *
   * @param folder the parent folder in the tar, with a trailing slash; empty for the top level.
   */
  async *entries(
    paths: readonly string[],
    folder: string,
    above: readonly Above[],
  ): AsyncGenerator<NewEntry> {
    for (const path of paths) {
      const stat = await lstat(path, { bigint: true });
      const name = `${folder}${basename(path)}`;
      const permissions = permissionsOf(Number(stat.mode), stat.isDirectory());
      const own = { name, permissions, modifiedAt: Number(stat.mtimeMs) };
      const size = Number(stat.size);
      if (stat.isSymbolicLink()) {
        yield { ...own, kind: 'link', linkTarget: await linkTargetOf(path) };
      } else if (stat.isFile()) {
        const seen = { path, stamp: stampOf(stat) };
        yield { ...own, kind: 'file', size, open: () => this.#read(seen, size, above) };
      } else if (stat.isDirectory()) {
        yield { ...own, kind: 'folder' };
        const within = [...above, { path, stamp: stampOf(stat) }];
        const inner = (await namesIn(path)).map((one) => join(path, one));
        await checkUnchanged(within);
        yield* this.entries(inner, `${name}/`, within);
      } else if (stat.isFIFO()) {
        yield { ...own, kind: 'pipe' };
      } else {
        this.#skipped.add(path);
      }
    }
  }

  /** Reads exactly the size announced in the header, even if the file grows in the meantime. */
  async *#read(seen: Above, size: number, above: readonly Above[]): AsyncGenerator<Uint8Array> {
    const file = await openSeen(seen);
    try {
      await checkUnchanged(above);
      if (size === 0) return;
      for await (const chunk of file.createReadStream({ end: size - 1, autoClose: false })) {
        const bytes = chunk as Uint8Array;
        this.#options.onBytes?.(bytes.length);
        yield bytes;
      }
    } finally {
      await file.close();
    }
  }
}

/** Opens the file that was seen: its path may lead to another one by now, through a link, too. */
async function openSeen({ path, stamp }: Above): Promise<FileHandle> {
  // On Windows, the last two are undefined, which counts as 0. A pipe does not make it wait.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags);
  const found = stampOf(await file.stat({ bigint: true }));
  if (found.isFile && isSameFile(found, stamp)) return file;
  await file.close();
  throw changed(path);
}

/** Checks that the folders on the way are those that were seen, and no links. */
async function checkUnchanged(above: readonly Above[]): Promise<void> {
  for (const { path, stamp } of above)
    if (!isSameFile(await stampAt(path), stamp)) throw changed(path);
}

function changed(path: string): Error {
  return new Error(`"${path}" was replaced while it was uploaded`);
}

/** Windows has no permission bits. */
function permissionsOf(mode: number, isFolder: boolean): number {
  if (process.platform !== 'win32') return mode & 0o777;
  return isFolder ? 0o755 : 0o644;
}
