import { lstat, mkdir, open, rename, rm, symlink, type FileHandle } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { EngineError } from '../engine/errors.ts';
import type { TarEntry } from '../engine/archive/readTar.ts';
import {
  foldCase,
  isLocalName,
  linkInside,
  MAX_PATH_LENGTH,
  pathSegments,
  type PathSegments,
} from './safePath.ts';

/**
 * Extracts a tar stream of a folder into a local folder. Never writes outside that folder: neither links in
 * the tar nor existing local links are followed.
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
 * - `name`: its name is not valid on the local machine.
 * - `special`: it is a device or pipe.
 * - `inTheWay`: something else has its name.
 * - `link`: links cannot be created here.
 */
export type SkipReason = 'outside' | 'name' | 'special' | 'inTheWay' | 'link';

/** The result of a download. */
export interface DownloadResult {
  readonly files: number;
  readonly bytes: number;
  /** Skipped entries, by their name in the container. */
  readonly leftOut: readonly { readonly name: string; readonly reason: SkipReason }[];
}

/** Limit for the characters of all names of a download, which stay in memory until the end. */
const MOST_CHARACTERS = 256 * 1024 * 1024;

/** Options of a download. */
export interface DownloadOptions {
  /** The folder in the container that the tar was made of, to resolve links with an absolute target. */
  readonly root: string;
  /** Whether existing files are replaced. If not, they are skipped as `inTheWay`. */
  readonly replace: boolean;
  readonly platform?: NodeJS.Platform;
  /** Called with the number of bytes written since the last call. */
  readonly onBytes?: (count: number) => void;
}

class Download {
  readonly #folder: string;
  readonly #options: DownloadOptions;
  /** Folders verified to be real folders, not links. */
  readonly #folders = new Set<string>(['']);
  /** Written files, with the case folded as on a case-insensitive file system. */
  readonly #written = new Set<string>();
  /** Local paths of written files by their exact path in the tar, to resolve hard links. */
  readonly #twins = new Map<string, string>();
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
    if (!parts) {
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
    const path = this.#twins.get(key);
    if (path !== undefined) return bytesOf(path);
    return this.#missing.has(key) ? 'inTheWay' : 'outside';
  }

  async #writeFile(
    entry: TarEntry,
    parts: PathSegments,
    source: AsyncIterable<Uint8Array>,
  ): Promise<boolean> {
    if (!(await this.#makeFolder(parts.slice(0, -1), 0o755))) return false;
    const path = join(this.#folder, ...parts);
    const found = await kindAt(path);
    if (found !== 'nothing' && !this.#mayReplace(found, parts)) return false;
    const fresh = freshPath(path, found);
    // Outside of `try`: if `open` fails, the file belongs to another process and must stay.
    const file = await open(fresh, 'wx', entry.permissions | 0o600);
    try {
      await this.#pour(source, file, entry.modifiedAt);
      if (fresh !== path) await rename(fresh, path);
    } catch (error) {
      await rm(fresh, { force: true });
      throw error;
    }
    this.#files += 1;
    this.#written.add(foldCase(parts));
    this.#twins.set(parts.join('/'), path);
    return true;
  }

  async #pour(source: AsyncIterable<Uint8Array>, file: FileHandle, at: number): Promise<void> {
    try {
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

  /** Creates a folder and its parents. Returns false if something other than a folder has one of the names. */
  async #makeFolder(parts: PathSegments, permissions: number): Promise<boolean> {
    const key = parts.join('/');
    if (this.#folders.has(key)) return true;
    if (!(await this.#makeFolder(parts.slice(0, -1), 0o755))) return false;
    const path = join(this.#folder, ...parts);
    const found = await kindAt(path);
    if (found === 'nothing') await mkdir(path, { mode: permissions | 0o700 });
    else if (found !== 'folder') return false;
    this.#folders.add(key);
    return true;
  }

  async #makeLink(parts: PathSegments, target: string): Promise<boolean> {
    if (!(await this.#makeFolder(parts.slice(0, -1), 0o755))) return false;
    const path = join(this.#folder, ...parts);
    const found = await kindAt(path);
    if (found !== 'nothing' && !this.#mayReplace(found, parts)) return false;
    const fresh = freshPath(path, found);
    try {
      await symlink(target, fresh);
      if (fresh !== path) await rename(fresh, path);
      return true;
    } catch {
      // Windows does not allow all users to create links.
      if (fresh !== path) await rm(fresh, { force: true });
      return false;
    }
  }

  /**
   * Returns whether an existing file may be replaced. A folder may not, nor a file of this download whose
   * name differs only in case.
   */
  #mayReplace(found: Found, parts: PathSegments): boolean {
    return found !== 'folder' && this.#options.replace && !this.#written.has(foldCase(parts));
  }

  #leave({ name }: TarEntry, reason: SkipReason): void {
    this.#leftOut.push({ name, reason });
    const parts = pathSegments(name);
    if (parts) this.#missing.add(parts.join('/'));
  }
}

type Found = 'nothing' | 'folder' | 'other';

async function kindAt(path: string): Promise<Found> {
  try {
    return (await lstat(path)).isDirectory() ? 'folder' : 'other';
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 'nothing';
    throw error;
  }
}

/** Returns where to write first: next to an existing file, which is kept until the new one is complete. */
function freshPath(path: string, found: Found): string {
  return found === 'nothing' ? path : `${path}.${randomBytes(4).toString('hex')}.part`;
}

/** Opens the file only when it is read: a stream that is never read would stay open. */
async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path) as AsyncIterable<Uint8Array>;
}
