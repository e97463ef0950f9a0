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
 * Writes what is in a tar of a folder into a folder of this machine, and nothing anywhere else: never through a link,
 * be it of the tar or one that was here.
 *
 * @param folder an existing folder.
 * @throws what the tar or the file system throws; what was written until then stays.
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
 * Why something was not written: `outside` it would leave the folder; `name` it can have no such name here; `special` a
 * device or pipe; `inTheWay` something else has its name; `link` links cannot be made here.
 */
export type SkipReason = 'outside' | 'name' | 'special' | 'inTheWay' | 'link';

/** What became of a download. */
export interface DownloadResult {
  readonly files: number;
  readonly bytes: number;
  /** What was not written, by its name in the container. */
  readonly leftOut: readonly { readonly name: string; readonly reason: SkipReason }[];
}

/** Of all names of a download; each stays in memory until its end. */
const MOST_CHARACTERS = 256 * 1024 * 1024;

/** How a download is to be made. */
export interface DownloadOptions {
  /** The folder of the container that the tar is of, for links that say a full path. */
  readonly root: string;
  /** Whether files that are there already are replaced; otherwise they are left out as `inTheWay`. */
  readonly replace: boolean;
  readonly platform?: NodeJS.Platform;
  /** Hears how many bytes were written since the last time. */
  readonly onBytes?: (count: number) => void;
}

class Download {
  readonly #folder: string;
  readonly #options: DownloadOptions;
  /** Folders that are known to be real ones. */
  readonly #folders = new Set<string>(['']);
  /** Files written here, as a file system that knows no case would call them. */
  readonly #written = new Set<string>();
  /** Where files of the tar were written, by their exact path in it: for hard links to them. */
  readonly #twins = new Map<string, string>();
  readonly #links: { readonly entry: TarEntry; readonly parts: PathSegments }[] = [];
  readonly #leftOut: { name: string; reason: SkipReason }[] = [];
  /** The paths of these in the tar. */
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

  /** @throws EngineError `tooLarge` past 256 MiB of names. */
  async add(entry: TarEntry): Promise<void> {
    const length = entry.name.length + entry.linkTarget.length;
    this.#characters += length;
    if (this.#characters > MOST_CHARACTERS)
      throw new EngineError('tooLarge', { operation: 'GET /containers/{id}/archive' });
    const parts = pathSegments(entry.name);
    if (length > 2 * MAX_PATH_LENGTH) {
      this.#leave({ ...entry, name: entry.name.slice(0, MAX_PATH_LENGTH) }, 'name');
    } else if (!parts) {
      this.#leave(entry, 'outside');
    } else if (!isLocalName(parts, this.#options.platform ?? process.platform)) {
      this.#leave(entry, 'name');
    } else if (parts.length > 0) {
      await this.#addAt(entry, parts);
    }
  }

  /** Links come last: nothing that is written can go through one. */
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

  /** The contents of the file written before that a hard link is another name of; else why there are none. */
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
    // What is there stays until the new one is whole.
    const fresh = found === 'nothing' ? path : `${path}.${randomBytes(4).toString('hex')}.part`;
    // Before `try`: where this fails, the file is somebody else's and stays.
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
        // All of it: `write` may take a part.
        await file.writeFile(piece);
        this.#bytes += piece.length;
        this.#options.onBytes?.(piece.length);
      }
      if (at > 0) await file.utimes(at / 1000, at / 1000);
    } finally {
      await file.close();
    }
  }

  /** False where something that is no folder has the name of one. */
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
    try {
      if (found !== 'nothing') await rm(path);
      await symlink(target, path);
      return true;
    } catch {
      // Windows lets not everybody make links.
      return false;
    }
  }

  /** Not a folder, and not what this download wrote under a name that is the same here. */
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

/** Opens the file only when it is read: one that is not read would stay open. */
async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path) as AsyncIterable<Uint8Array>;
}
