/**
 * The changes of a container as a tree. Hundreds of thousands of paths stay one sorted list, and rows are
 * computed from it on demand, so that folders that are never expanded cost nothing.
 */

import { firstIndex } from '../base/firstIndex.ts';
import type { ChangeKind, FileChange } from '../engine/containers/listChanges.ts';

/** All changes in two lists: the relevant ones, and those that are probably of no interest. */
export interface ChangeTree {
  readonly counts: ChangeCounts;
  readonly main: ChangeList;
  readonly ignored: ChangeList;
}

/** The number of paths per kind of change. A folder counts only if nothing below it changed. */
export interface ChangeCounts {
  readonly added: number;
  readonly changed: number;
  readonly deleted: number;
}

export interface ChangeEntry {
  /** The name relative to the parent row. Nested folders without other contents are joined into one name. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  /** The kind of change, or undefined for a folder in which only descendants changed. */
  readonly kind: ChangeKind | undefined;
  /** The number of changes below, or 0 if the row cannot be expanded. */
  readonly size: number;
}

/** A page of rows, because a folder may have too many to show at once. */
interface ChangePage {
  readonly entries: readonly ChangeEntry[];
  /** The number of remaining changes and the index where they start, or undefined if there are none. */
  readonly rest: { readonly size: number; readonly from: number } | undefined;
}

/** Maximum number of rows per page. More would not help the user. */
const PAGE = 1000;

/** Builds the tree from a list of changes, in one sort and one pass. */
export function changeTree(changes: readonly FileChange[]): ChangeTree {
  const keyed = changes
    .map((change) => ({ key: keyOf(change.path), change }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const folders = new Map<string, ChangeKind>();
  const main: Leaf[] = [];
  const noise: Leaf[] = [];
  const counts = { added: 0, changed: 0, deleted: 0 };
  keyed.forEach(({ key, change }, index) => {
    const next = keyed[index + 1];
    if (next?.key === key) return;
    if (next?.key.startsWith(`${key}${SLASH}`)) {
      // Engines report a folder as changed if something in it changed.
      if (change.kind !== 'changed') folders.set(change.path, change.kind);
      return;
    }
    counts[change.kind] += 1;
    (isIgnoredPath(change.path) ? noise : main).push({ key, change });
  });
  return { counts, main: new ChangeList(main, folders), ignored: new ChangeList(noise, folders) };
}

interface Leaf {
  readonly key: string;
  readonly change: FileChange;
}

/** Sorts before every other character, so that the contents of a folder directly follow the folder. */
const SLASH = '\0';

function keyOf(path: string): string {
  return path.replaceAll('/', SLASH);
}

/** Sorted changes, without their parent folders. */
export class ChangeList {
  readonly #leaves: readonly Leaf[];
  readonly #folders: ReadonlyMap<string, ChangeKind>;

  constructor(leaves: readonly Leaf[], folders: ReadonlyMap<string, ChangeKind>) {
    this.#leaves = leaves;
    this.#folders = folders;
  }

  get size(): number {
    return this.#leaves.length;
  }

  /**
   * Returns the direct children of a folder, folders first.
   *
   * @param folder absolute; empty for the root.
   * @param from where to continue, from {@link ChangePage.rest}.
   */
  childrenOf(folder: string, from?: number): ChangePage {
    const prefix = `${keyOf(folder)}${SLASH}`;
    const end = this.#firstAfter(prefix);
    const entries: ChangeEntry[] = [];
    let index = from ?? this.#firstFrom(prefix);
    while (index < end && entries.length < PAGE) {
      const child = this.#childAt(index, prefix, end);
      entries.push(child.entry);
      index = child.next;
    }
    const folders = entries.filter(({ size }) => size > 0);
    const files = entries.filter(({ size }) => size === 0);
    const rest = index < end ? { size: end - index, from: index } : undefined;
    return { entries: [...folders, ...files], rest };
  }

  /** Yields all changes in tree order. */
  *[Symbol.iterator](): Iterator<FileChange> {
    for (const { change } of this.#leaves) yield change;
  }

  #childAt(
    start: number,
    prefix: string,
    end: number,
  ): { readonly entry: ChangeEntry; readonly next: number } {
    const { key, change } = this.#leaf(start);
    const stop = key.indexOf(SLASH, prefix.length);
    if (stop < 0) {
      const name = change.path.slice(prefix.length);
      return {
        entry: { name, path: change.path, kind: change.kind, size: 0 },
        next: start + 1,
      };
    }
    const next = this.#firstAfter(key.slice(0, stop + 1), start, end);
    // Join a folder that contains only one folder with that folder into one row.
    const depth = this.#commonDepth(key, this.#leaf(next - 1).key, stop);
    const path = change.path.slice(0, depth);
    return {
      entry: {
        name: path.slice(prefix.length),
        path,
        // Set only if the folder itself was added or deleted.
        kind: this.#folders.get(path),
        size: next - start,
      },
      next,
    };
  }

  /** Returns the length of the folder path that the first and the last path have in common. */
  #commonDepth(first: string, last: string, stop: number): number {
    let same = stop + 1;
    while (same < first.length && first.charAt(same) === last.charAt(same)) same += 1;
    return first.lastIndexOf(SLASH, same - 1);
  }

  #leaf(index: number): Leaf {
    const leaf = this.#leaves[index];
    if (!leaf) throw new RangeError(String(index));
    return leaf;
  }

  /** Returns the first index whose key is not less than `key`. */
  #firstFrom(key: string, low = 0, high = this.#leaves.length): number {
    return firstIndex(low, high, (index) => this.#leaf(index).key >= key);
  }

  /** Returns the index after the last key with this prefix. The prefix ends with `SLASH`. */
  #firstAfter(prefix: string, low = 0, high = this.#leaves.length): number {
    return this.#firstFrom(`${prefix.slice(0, -1)}\x01`, low, high);
  }
}

// Paths that differ from the image in nearly every container and are unrelated to the work of the user:
// files that engines write, and leftovers of programs.
const FOLDERS: readonly string[] = [
  '/run/',
  '/tmp/',
  '/var/run/',
  '/var/tmp/',
  '/var/cache/',
  '/var/log/',
  '/var/lib/apt/lists/',
  '/var/lib/dpkg/triggers/',
  '/root/.cache/',
  '/root/.npm/_logs/',
  '/dev/',
  '/proc/',
  '/sys/',
];

/** Files that engines add to every container. */
const FILES: ReadonlySet<string> = new Set([
  '/.dockerenv',
  '/etc/hostname',
  '/etc/hosts',
  '/etc/mtab',
  '/etc/resolv.conf',
  '/run/.containerenv',
  '/etc/ld.so.cache',
]);

const NAMES =
  /(?:^|\/)(?:\.(?:bash|ash|zsh|python|node_repl|psql|mysql|sqlite|rediscli)_?history|\.viminfo|\.lesshst|\.wget-hsts|__pycache__)(?:\/|$)/;

/** Returns whether a changed path is probably of no interest. */
export function isIgnoredPath(path: string): boolean {
  if (FILES.has(path)) return true;
  const inside = `${path}/`;
  return FOLDERS.some((folder) => inside.startsWith(folder)) || NAMES.test(path);
}
