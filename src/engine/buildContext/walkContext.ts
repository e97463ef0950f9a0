import type { BigIntStats, Dirent } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { asError } from '../errors.ts';
import { ContextError } from './contextError.ts';
import { PatternList, type Matched } from './patternList.ts';

/**
 * Yields what is in a folder: each folder before what is inside it, names in the order of their bytes. Links are not
 * followed. Sockets and devices are left out, and what disappears in the meantime.
 *
 * @param root absolute path.
 * @throws ContextError `unreadable`, `badName`, or `badPattern`; the reason of the signal.
 */
export async function* walkContext(
  root: string,
  filter: WalkFilter,
  signal: AbortSignal,
): AsyncGenerator<ContextEntry> {
  const { includes = [], excludes = [] } = filter;
  const walk = new Walk(
    root,
    includes.length > 0 ? patternsOf(includes) : undefined,
    patternsOf(excludes),
    signal,
  );
  yield* walk.inside({
    path: '',
    isSent: true,
    above: undefined,
    included: undefined,
    excluded: undefined,
  });
}

/** A file of the context. */
export interface ContextEntry {
  /** Relative to the root, with slashes. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'pipe';
  /** The nine permission bits, setuid, setgid, and the sticky bit. */
  readonly mode: number;
  /** Of a file, in bytes; otherwise 0. */
  readonly size: number;
  /** In nanoseconds since 1970. */
  readonly modifiedAt: bigint;
  /** Where a link leads. Of a file: the path of an earlier entry that is the same file. */
  readonly target?: string;
}

/** What of a folder is walked. */
export interface WalkFilter {
  /** Only what one of these patterns matches, and the folders that it is in; everything by default. */
  readonly includes?: readonly string[] | undefined;
  /** Nothing that these patterns match. */
  readonly excludes?: readonly string[];
}

/** How many files are looked at together. */
const AT_ONCE = 64;

function patternsOf(lines: readonly string[]): PatternList {
  try {
    return new PatternList(lines);
  } catch (error) {
    throw new ContextError('badPattern', asError(error).message);
  }
}

/** A folder that is being walked. */
interface Folder {
  readonly path: string;
  readonly above: Folder | undefined;
  /** Whether it was yielded. A folder that is excluded is if something inside it is not. */
  isSent: boolean;
  readonly included: Matched | undefined;
  readonly excluded: Matched | undefined;
}

/** What is in a folder, and what to do with it. */
interface Found {
  readonly path: string;
  readonly isSent: boolean;
  /** Set if it is to be walked. */
  readonly folder: Folder | undefined;
}

class Walk {
  readonly #root: string;
  readonly #includes: PatternList | undefined;
  readonly #excludes: PatternList;
  readonly #signal: AbortSignal;
  /** The first path of each file that has several. */
  readonly #paths = new Map<string, string>();

  constructor(
    root: string,
    includes: PatternList | undefined,
    excludes: PatternList,
    signal: AbortSignal,
  ) {
    this.#root = root;
    this.#includes = includes;
    this.#excludes = excludes;
    this.#signal = signal;
  }

  async *inside(folder: Folder): AsyncGenerator<ContextEntry> {
    const all = await this.#list(folder);
    for (let at = 0; at < all.length; at += AT_ONCE) {
      this.#signal.throwIfAborted();
      const some = all.slice(at, at + AT_ONCE);
      const entries = await Promise.all(
        some.map(async ({ path, isSent }) => (isSent ? this.#read(path) : undefined)),
      );
      for (const [index, { folder: inner }] of some.entries()) {
        const entry = entries[index];
        if (entry) {
          yield* this.#foldersAbove(folder);
          yield this.#linked(entry);
        }
        if (inner) yield* this.inside(inner);
      }
    }
  }

  /** Yields the folders that were not yielded before, because they are excluded themselves. */
  async *#foldersAbove(folder: Folder): AsyncGenerator<ContextEntry> {
    if (folder.isSent) return;
    if (folder.above) yield* this.#foldersAbove(folder.above);
    folder.isSent = true;
    const entry = await this.#read(folder.path);
    if (entry) yield entry.entry;
  }

  /** Lists a folder in the order of the bytes of the names, without what is left out. */
  async #list(folder: Folder): Promise<readonly Found[]> {
    const found = await this.#readFolder(folder);
    const sorted = found.toSorted((a, b) => Buffer.compare(a.name, b.name));
    return sorted.flatMap((one) => this.#judge(one, folder) ?? []);
  }

  async #readFolder({ path, isSent }: Folder): Promise<readonly Dirent<Buffer>[]> {
    try {
      return await readdir(join(this.#root, path), { withFileTypes: true, encoding: 'buffer' });
    } catch (error) {
      if (isGone(error) && path !== '') return [];
      // A folder that is excluded itself is only searched for exceptions.
      if (!isSent) return [];
      throw new ContextError('unreadable', path === '' ? '.' : path, error);
    }
  }

  #judge(found: Dirent<Buffer>, above: Folder): Found | undefined {
    const name = found.name.toString();
    const path = above.path === '' ? name : `${above.path}/${name}`;
    const included = this.#includes?.match(path, above.included);
    const excluded = this.#excludes.match(path, above.excluded);
    const isSent = included?.isMatch !== false && !excluded.isMatch;
    const isWalked =
      found.isDirectory() &&
      (included?.isMatch !== false || this.#includes?.mayMatchInside(path) === true) &&
      (!excluded.isMatch || this.#excludes.mayExceptInside(path));
    if (!isWalked && !(isSent && isSendable(found))) return undefined;
    if (!Buffer.from(name).equals(found.name)) throw new ContextError('badName', path);
    if (!isWalked) return { path, isSent, folder: undefined };
    const matched = { included: included?.matched, excluded: excluded.matched };
    return { path, isSent, folder: { path, above, isSent, ...matched } };
  }

  /** Reads what is known about a file; undefined if it is no longer there. */
  async #read(path: string): Promise<ReadEntry | undefined> {
    const full = join(this.#root, path);
    try {
      const stats = await lstat(full, { bigint: true });
      const kind = kindOf(stats);
      if (!kind) return undefined;
      const target = kind === 'link' ? await readlink(full) : undefined;
      const entry = {
        path,
        kind,
        mode: Number(stats.mode) & 0o7777,
        size: kind === 'file' ? Number(stats.size) : 0,
        modifiedAt: stats.mtimeNs,
        ...(target !== undefined && { target }),
      };
      const isShared = kind === 'file' && stats.nlink > 1;
      return { entry, ...(isShared && { file: `${stats.dev}:${stats.ino}` }) };
    } catch (error) {
      if (isGone(error)) return undefined;
      throw new ContextError('unreadable', path, error);
    }
  }

  /** Returns an entry; one for the same file as an earlier one refers to that one. */
  #linked({ entry, file }: ReadEntry): ContextEntry {
    if (file === undefined) return entry;
    const target = this.#paths.get(file);
    if (target !== undefined) return { ...entry, target };
    this.#paths.set(file, entry.path);
    return entry;
  }
}

interface ReadEntry {
  readonly entry: ContextEntry;
  /** The same for all paths of a file with several. */
  readonly file?: string;
}

function isSendable(found: Dirent<Buffer>): boolean {
  return found.isFile() || found.isSymbolicLink() || found.isFIFO();
}

function kindOf(stats: BigIntStats): ContextEntry['kind'] | undefined {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'folder';
  if (stats.isSymbolicLink()) return 'link';
  return stats.isFIFO() ? 'pipe' : undefined;
}

function isGone(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
