import type { BigIntStats, Dirent } from 'node:fs';
import { lstat, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StepYielder } from '../../../base/stepYielder.ts';
import { asError } from '../../errors.ts';
import { ContextError } from './contextError.ts';
import { identityOf, leadsThroughNoLink, linkTarget, realRoot } from './contextRoot.ts';
import { listFolder, sortedInTurns } from './listFolder.ts';
import { PatternList, TooManyPatterns, type Matched } from './patternList.ts';

/**
 * Yields what is in a folder: each folder before what is inside it, names in the order of their bytes. Links are not
 * followed, also if a folder becomes one. Sockets and devices are left out, and what disappears in the meantime.
 *
 * @param folder absolute path.
 * @param pace is counted on for each comparison with a pattern.
 * @throws ContextError; the reason of the signal.
 */
export async function* walkContext(
  folder: string,
  filter: WalkFilter,
  signal: AbortSignal,
  pace = new StepYielder(signal),
): AsyncGenerator<ContextEntry> {
  const { includes = [], excludes = [], ignored } = filter;
  const walk = new Walk(realRoot(folder), pace, signal, {
    includes: includes.length > 0 ? patternsOf(includes) : undefined,
    excludes: patternsOf(excludes),
    ignored: patternsOf(ignored ?? []),
  });
  yield* walk.all();
}

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
  /** From `identityOf`. */
  readonly identity: string;
  /** Where its contents are, relative to the root, if it is listed under another name. */
  readonly source?: string;
}

/** Filter of a walk through a folder. */
export interface WalkFilter {
  /** Only what one of these patterns matches, and the folders that it is in; everything by default. */
  readonly includes?: readonly string[] | undefined;
  /** Nothing that these patterns match. */
  readonly excludes?: readonly string[];
  /** Nothing that these match, either, whatever the others are. */
  readonly ignored?: readonly string[];
}

/** Number of files looked at together. */
const AT_ONCE = 64;

/** The most files of a context. */
export const MOST_ENTRIES = 3_000_000;

function patternsOf(lines: readonly string[]): PatternList {
  try {
    return new PatternList(lines);
  } catch (error) {
    if (error instanceof TooManyPatterns) throw new ContextError('tooManyPatterns', '.', error);
    throw new ContextError('badPattern', asError(error).message);
  }
}

interface Filters {
  readonly includes: PatternList | undefined;
  readonly excludes: PatternList;
  readonly ignored: PatternList;
}

/** A folder that is being walked. */
interface Folder {
  readonly path: string;
  readonly above: Folder | undefined;
  /** Identity of the file when it was found. */
  readonly identity: string;
  /** Whether it was yielded. A folder that is excluded is if something inside it is not. */
  isSent: boolean;
  readonly matched: FoundMatches;
}

interface FoundMatches {
  readonly included?: Matched | undefined;
  readonly excluded?: Matched;
  readonly ignored?: Matched;
}

/** Entry found in a folder, and what to do with it. */
interface Found {
  readonly path: string;
  readonly isSent: boolean;
  /** Set if it is a folder that is to be walked. */
  readonly matched: FoundMatches | undefined;
}

class Walk {
  readonly #root: string;
  readonly #pace: StepYielder;
  readonly #signal: AbortSignal;
  readonly #filters: Filters;
  /** The first path of each file that has several. */
  readonly #paths = new Map<string, string>();

  constructor(root: string, pace: StepYielder, signal: AbortSignal, filters: Filters) {
    this.#root = root;
    this.#pace = pace;
    this.#signal = signal;
    this.#filters = filters;
  }

  async *all(): AsyncGenerator<ContextEntry> {
    const stats = await stat(this.#root, { bigint: true }).catch((error: unknown) => {
      throw new ContextError('unreadable', '.', error);
    });
    const identity = identityOf(stats);
    yield* this.#inside({ path: '', above: undefined, identity, isSent: true, matched: {} });
  }

  async *#inside(folder: Folder): AsyncGenerator<ContextEntry> {
    const all = await this.#list(folder);
    for (let at = 0; at < all.length; at += AT_ONCE) {
      this.#signal.throwIfAborted();
      const some: Found[] = [];
      for (const one of all.slice(at, at + AT_ONCE)) {
        const found = await this.#judge(one, folder);
        if (found) some.push(found);
      }
      if (some.length === 0) continue;
      const entries = await Promise.all(some.map((found) => this.#look(found)));
      // Before anything of it is used.
      await this.#checkPlace(folder);
      for (const [index, found] of some.entries()) yield* this.#walk(folder, found, entries[index]);
    }
  }

  async *#walk(
    above: Folder,
    { path, isSent, matched }: Found,
    read: ReadEntry | undefined,
  ): AsyncGenerator<ContextEntry> {
    if (!read) return;
    const { kind, identity } = read.entry;
    if (isSent) {
      yield* this.#foldersAbove(above);
      yield this.#linked(read);
    }
    // It may have been replaced by a link since it was listed.
    if (matched && kind === 'folder')
      yield* this.#inside({ path, above, identity, isSent, matched });
  }

  /** @throws ContextError `changed` if the folder has been replaced by a link. */
  async #checkPlace({ path, identity }: Folder): Promise<void> {
    const now = await stat(join(this.#root, path), { bigint: true }).catch(() => undefined);
    if (now && identityOf(now) === identity) return;
    // Some file systems give a folder another number when it is looked up again.
    if (await leadsThroughNoLink(this.#root, path)) return;
    throw new ContextError('changed', path === '' ? '.' : path);
  }

  /** Yields the folders that were not yielded before, because they are excluded themselves. */
  async *#foldersAbove(folder: Folder): AsyncGenerator<ContextEntry> {
    if (folder.isSent) return;
    if (folder.above) yield* this.#foldersAbove(folder.above);
    folder.isSent = true;
    const entry = await this.#read(folder.path);
    if (entry) yield entry.entry;
  }

  /** Lists a folder in the order of the bytes of the names. */
  async #list(folder: Folder): Promise<readonly Dirent<Buffer>[]> {
    const found = await this.#readFolder(folder);
    return sortedInTurns(found, (a, b) => Buffer.compare(a.name, b.name), this.#pace);
  }

  async #readFolder({ path, isSent }: Folder): Promise<readonly Dirent<Buffer>[]> {
    const found: Dirent<Buffer>[] = [];
    try {
      for await (const one of listFolder(join(this.#root, path), this.#pace)) {
        if (found.length >= MOST_ENTRIES)
          throw new ContextError('tooMany', path === '' ? '.' : path);
        found.push(one);
      }
      return found;
    } catch (error) {
      this.#signal.throwIfAborted();
      if (error instanceof ContextError) throw error;
      if (isGone(error) && path !== '') return [];
      // A folder that is excluded itself is only searched for exceptions.
      if (!isSent) return [];
      throw new ContextError('unreadable', path === '' ? '.' : path, error);
    }
  }

  /** Resolves to undefined for what is left out. */
  async #judge(found: Dirent<Buffer>, above: Folder): Promise<Found | undefined> {
    const name = found.name.toString();
    const path = above.path === '' ? name : `${above.path}/${name}`;
    const { includes, excludes, ignored } = this.#filters;
    const pace = this.#pace;
    const included = await includes?.match(path, above.matched.included, pace);
    const isIncluded = included?.isMatch !== false;
    const isDirectory = found.isDirectory();
    if (!isIncluded && !(isDirectory && includes?.mayMatchInside(path, pace) === true))
      return undefined;
    const excluded = await excludes.match(path, above.matched.excluded, pace);
    const withheld = await ignored.match(path, above.matched.ignored, pace);
    const isSent = isIncluded && !excluded.isMatch && !withheld.isMatch;
    const isWalked =
      isDirectory &&
      (!excluded.isMatch || excludes.mayExceptInside(path, pace)) &&
      (!withheld.isMatch || ignored.mayExceptInside(path, pace));
    if (!isWalked && !(isSent && isSendable(found))) return undefined;
    if (!Buffer.from(name).equals(found.name)) throw new ContextError('badName', path);
    const matched = {
      included: included?.matched,
      excluded: excluded.matched,
      ignored: withheld.matched,
    };
    return { path, isSent, matched: isWalked ? matched : undefined };
  }

  /** Reads what is known about a file; undefined if it is no longer there. */
  async #read(path: string): Promise<ReadEntry | undefined> {
    const full = join(this.#root, path);
    try {
      const stats = await lstat(full, { bigint: true });
      const kind = kindOf(stats);
      if (!kind) return undefined;
      const target = kind === 'link' ? await linkTarget(this.#root, path) : undefined;
      const entry = {
        path,
        kind,
        mode: Number(stats.mode) & 0o7777,
        size: kind === 'file' ? Number(stats.size) : 0,
        modifiedAt: stats.mtimeNs,
        identity: identityOf(stats),
        ...(target !== undefined && { target }),
      };
      return { entry, isShared: kind === 'file' && stats.nlink > 1 };
    } catch (error) {
      if (isGone(error)) return undefined;
      if (error instanceof ContextError) throw error;
      throw new ContextError('unreadable', path, error);
    }
  }

  /** The same, but what is not sent may be unreadable. */
  async #look({ path, isSent }: Found): Promise<ReadEntry | undefined> {
    try {
      return await this.#read(path);
    } catch (error) {
      if (!isSent) return undefined;
      throw error;
    }
  }

  /** Returns an entry; one for the same file as an earlier one refers to that one. */
  #linked({ entry, isShared }: ReadEntry): ContextEntry {
    if (!isShared) return entry;
    const target = this.#paths.get(entry.identity);
    if (target !== undefined) return { ...entry, target };
    this.#paths.set(entry.identity, entry.path);
    return entry;
  }
}

interface ReadEntry {
  readonly entry: ContextEntry;
  /** Whether the file has several paths. */
  readonly isShared: boolean;
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
