import { constants } from 'node:fs';
import { mkdir, open, symlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineError } from '../engine/errors.ts';
import { hasReplacement } from '../engine/archive/hasReplacement.ts';
import type { TarEntry } from '../engine/archive/readTar.ts';
import {
  foldCase,
  isLocalName,
  linkInside,
  MAX_PATH_LENGTH,
  pathSegments,
  type PathSegments,
} from './safePath.ts';
import {
  FileExistsError,
  isSameFile,
  newPartToken,
  partPath,
  placeFile,
  removeOwn,
  stampAt,
  stampOf,
  systemErrorCode,
  type FileStamp,
} from '../base/writeAtomically.ts';

/**
 * Extracts a tar stream of a folder into a local folder. Never writes outside that folder: neither links in
 * the tar nor existing local links are followed. A file has its name only when it is complete.
 *
 * @param folder an existing folder.
 * @throws errors of the tar stream or the file system; files written before the error stay.
 */
export async function writeEntries(
  entries: AsyncIterable<TarEntry>,
  folder: string,
  options: DownloadOptions,
): Promise<DownloadResult> {
  const download = new Download(folder, options);
  for await (const entry of entries) await download.add(entry);
  await download.finish();
  return download.result;
}

/**
 * Why an entry was skipped:
 * - `outside`: it would leave the folder.
 * - `name`: its name is not valid on the local machine, or not UTF-8, so that it would get another one.
 * - `special`: it is a device or pipe.
 * - `inTheWay`: something else has its name.
 * - `link`: links cannot be created here, or the target is not UTF-8.
 * - `unmounted`: it is a mount whose files the engine does not have while the container is stopped.
 */
type SkipReason = 'outside' | 'name' | 'special' | 'inTheWay' | 'link' | 'unmounted';

export interface DownloadResult {
  readonly files: number;
  readonly bytes: number;
  /** Skipped entries, by their name in the container. */
  readonly leftOut: readonly { readonly name: string; readonly reason: SkipReason }[];
}

/** Limit for the characters of all names of a download, which stay in memory until the end. */
const MOST_CHARACTERS = 256 * 1024 * 1024;

export interface DownloadOptions {
  /** The folder in the container that the tar was made of, to resolve links with an absolute target. */
  readonly root: string;
  /** Whether existing files are replaced. If not, they are skipped as `inTheWay`. */
  readonly replace: boolean;
  /** See `newPartToken`. */
  readonly token?: string;
  readonly platform?: NodeJS.Platform;
  /** Called with the number of bytes written since the last call. */
  readonly onBytes?: (count: number) => void;
}

class Download {
  readonly #folder: string;
  readonly #options: DownloadOptions;
  readonly #token: string;
  /** Folders that were created, or found to be real folders, not links. */
  readonly #folders = new Set<string>(['']);
  /** Written files, with the case folded as on a case-insensitive file system. */
  readonly #written = new Set<string>();
  /** Written files by their exact path in the tar, to resolve hard links. */
  readonly #twins = new Map<string, Written>();
  readonly #links: { readonly entry: TarEntry; readonly parts: PathSegments }[] = [];
  readonly #leftOut: { name: string; reason: SkipReason }[] = [];
  /** Paths of the skipped entries in the tar. */
  readonly #missing = new Set<string>();
  #files = 0;
  #bytes = 0;
  #characters = 0;

  constructor(folder: string, options: DownloadOptions) {
    this.#folder = folder;
    this.#options = options;
    this.#token = options.token ?? newPartToken();
  }

  get result(): DownloadResult {
    return { files: this.#files, bytes: this.#bytes, leftOut: this.#leftOut };
  }

  /** @throws EngineError `tooLarge` if the names exceed 256 MiB. */
  async add(entry: TarEntry): Promise<void> {
    const length = entry.name.length + entry.linkTarget.length;
    this.#characters += length;
    if (this.#characters > MOST_CHARACTERS)
      throw new EngineError('tooLarge', { operation: 'GET /containers/{id}/archive' });
    if (length > 2 * MAX_PATH_LENGTH) {
      this.#leave({ ...entry, name: entry.name.slice(0, MAX_PATH_LENGTH) }, 'name');
      return;
    }
    const parts = pathSegments(entry.name);
    if (hasReplacement(entry.name)) {
      this.#leave(entry, 'name');
    } else if (hasReplacement(entry.linkTarget)) {
      this.#leave(entry, 'link');
    } else if (!parts) {
      this.#leave(entry, 'outside');
    } else if (!isLocalName(parts, this.#options.platform ?? process.platform)) {
      this.#leave(entry, 'name');
    } else if (parts.length > 0) {
      await this.#addAt(entry, parts);
    }
  }

  /** Creates the links. They come last, so that no file is written through a link. */
  async finish(): Promise<void> {
    for (const { entry, parts } of this.#links) {
      const target = linkInside(parts, entry.linkTarget, this.#options.root);
      if (target === undefined) this.#leave(entry, 'outside');
      else if (!(await this.#makeLink(parts, target))) this.#leave(entry, 'link');
    }
  }

  async #addAt(entry: TarEntry, parts: PathSegments): Promise<void> {
    if (entry.kind === 'folder') {
      if (!(await this.#makeFolder(parts, entry.permissions))) this.#leave(entry, 'inTheWay');
    } else if (entry.kind === 'link') {
      this.#links.push({ entry, parts });
    } else if (entry.kind === 'other') {
      this.#leave(entry, 'special');
    } else {
      const source = entry.kind === 'hardLink' ? this.#twinOf(entry) : entry.contents;
      if (typeof source === 'string') this.#leave(entry, source);
      else if (!(await this.#writeFile(entry, parts, source))) this.#leave(entry, 'inTheWay');
    }
  }

  /** Returns the contents of the file that a hard link points to, or the reason why there are none. */
  #twinOf({ linkTarget }: TarEntry): AsyncIterable<Uint8Array> | SkipReason {
    const key = pathSegments(linkTarget)?.join('/');
    if (key === undefined) return 'outside';
    const written = this.#twins.get(key);
    if (written) return bytesOf(written);
    return this.#missing.has(key) ? 'inTheWay' : 'outside';
  }

  async #writeFile(
    entry: TarEntry,
    parts: PathSegments,
    source: AsyncIterable<Uint8Array>,
  ): Promise<boolean> {
    if (!(await this.#makeFolder(parts.slice(0, -1), 0o755))) return false;
    const path = join(this.#folder, ...parts);
    const seen = await stampAt(path);
    if (seen && !this.#mayReplace(seen, parts)) return false;
    const part = partPath(path, this.#token);
    // Outside of `try`: if `open` fails, the file belongs to another process and must stay.
    const file = await open(part, 'wx', entry.permissions | 0o600);
    const own = stampOf(await file.stat({ bigint: true }));
    try {
      await this.#pour(source, file, entry.modifiedAt, () => this.#checkInside(part, own, parts));
      await placeFile(part, path, seen);
    } catch (error) {
      await removeOwn(part, own);
      if (error instanceof FileExistsError) return false;
      throw error;
    }
    this.#files += 1;
    this.#written.add(foldCase(parts));
    this.#twins.set(parts.join('/'), { path, own });
    return true;
  }

  /** @param check called before anything is written. */
  async #pour(
    source: AsyncIterable<Uint8Array>,
    file: FileHandle,
    at: number,
    check: () => Promise<void>,
  ): Promise<void> {
    try {
      await check();
      for await (const piece of source) {
        // `writeFile` writes the whole chunk; `write` may write only a part.
        await file.writeFile(piece);
        this.#bytes += piece.length;
        this.#options.onBytes?.(piece.length);
      }
      if (at > 0) await file.utimes(at / 1000, at / 1000);
    } finally {
      await file.close();
    }
  }

  /**
   * Checks that a new file is in the selected folder: another user of that folder may have replaced one on the way by a
   * link since it was created.
   *
   * @throws FileExistsError.
   */
  async #checkInside(part: string, own: FileStamp, parts: PathSegments): Promise<void> {
    const isInside =
      (await this.#areFolders(parts.slice(0, -1))) && isSameFile(await stampAt(part), own);
    if (!isInside) throw new FileExistsError(part);
  }

  async #areFolders(parts: PathSegments): Promise<boolean> {
    for (let depth = 1; depth <= parts.length; depth++) {
      const found = await stampAt(join(this.#folder, ...parts.slice(0, depth)));
      if (found?.isFolder !== true) return false;
    }
    return true;
  }

  /** Creates a folder and its parents. Returns false if something other than a folder has one of the names. */
  async #makeFolder(parts: PathSegments, permissions: number): Promise<boolean> {
    const key = parts.join('/');
    if (this.#folders.has(key)) return this.#areFolders(parts);
    if (!(await this.#makeFolder(parts.slice(0, -1), 0o755))) return false;
    const path = join(this.#folder, ...parts);
    const found = await stampAt(path);
    if (!found) await mkdir(path, { mode: permissions | 0o700 });
    else if (!found.isFolder) return false;
    this.#folders.add(key);
    return true;
  }

  async #makeLink(parts: PathSegments, target: string): Promise<boolean> {
    if (!(await this.#makeFolder(parts.slice(0, -1), 0o755))) return false;
    const path = join(this.#folder, ...parts);
    const seen = await stampAt(path);
    if (seen && !this.#mayReplace(seen, parts)) return false;
    // A link is never half written.
    const fresh = seen ? partPath(path, this.#token) : path;
    let own: FileStamp | undefined;
    try {
      await symlink(target, fresh);
      own = await stampAt(fresh);
      if (seen) await placeFile(fresh, path, seen);
      return true;
    } catch {
      // Windows does not allow all users to create links.
      if (seen && own) await removeOwn(fresh, own);
      return false;
    }
  }

  /**
   * Returns whether an existing file may be replaced. A folder may not, nor a file of this download whose
   * name differs only in case.
   */
  #mayReplace(found: FileStamp, parts: PathSegments): boolean {
    return !found.isFolder && this.#options.replace && !this.#written.has(foldCase(parts));
  }

  #leave({ name }: TarEntry, reason: SkipReason): void {
    this.#leftOut.push({ name, reason });
    const parts = pathSegments(name);
    if (parts) this.#missing.add(parts.join('/'));
  }
}

/** A file of this download. */
interface Written {
  readonly path: string;
  readonly own: FileStamp;
}

/**
 * Yields the contents of a file of this download.
 *
 * @throws FileExistsError if another one has its name by now.
 */
async function* bytesOf({ path, own }: Written): AsyncGenerator<Uint8Array> {
  // On Windows, the last two are undefined, which counts as 0.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch((error: unknown) => {
    throw ['ELOOP', 'ENOENT'].includes(systemErrorCode(error)) ? new FileExistsError(path) : error;
  });
  try {
    const found = stampOf(await file.stat({ bigint: true }));
    if (!isSameFile(found, own)) throw new FileExistsError(path);
    yield* file.createReadStream({ autoClose: false }) as AsyncIterable<Uint8Array>;
  } finally {
    await file.close();
  }
}
