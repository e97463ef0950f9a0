/**
 * The changes of a container as a tree. Hundreds of thousands of paths stay one sorted list; what a person looks
 * at is cut out of it, so that nothing is made for what is never unfolded.
 */

import type { ChangeKind, FileChange } from '../engine/containers/listChanges.ts';
import { isIgnoredPath } from './isIgnoredPath.ts';

/** All that changed, in two parts: what matters, and what is probably of no interest. */
export interface ChangeTree {
  readonly counts: ChangeCounts;
  readonly main: ChangeList;
  readonly ignored: ChangeList;
}

/** How many paths are of each kind. Folders are counted where nothing below them is. */
export interface ChangeCounts {
  readonly added: number;
  readonly changed: number;
  readonly deleted: number;
}

/** A row of the tree. */
export interface ChangeEntry {
  /** Its name below the entry above: several folders at once where each has nothing else in it. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  /** What happened to it; undefined for a folder that only something below it happened to. */
  readonly kind: ChangeKind | undefined;
  /** How many changes are below; 0 for one that has nothing to unfold. */
  readonly size: number;
}

/** A run of rows: those of a folder may be too many for one look. */
export interface ChangePage {
  readonly entries: readonly ChangeEntry[];
  /** What follows: how many changes, and where they begin; undefined where nothing does. */
  readonly rest: { readonly size: number; readonly from: number } | undefined;
}

/** A row more is of no help to anybody. */
const PAGE = 1000;

/** Sorts changes into a tree: one pass, one sort. */
export function changeTree(changes: readonly FileChange[]): ChangeTree {
  const keyed = changes
    .map((change) => ({ key: keyOf(change.path), change }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const folders = new Map<string, ChangeKind>();
  const [main, noise]: [Leaf[], Leaf[]] = [[], []];
  const counts = { added: 0, changed: 0, deleted: 0 };
  keyed.forEach(({ key, change }, index) => {
    const next = keyed[index + 1];
    if (next?.key === key) return;
    if (next?.key.startsWith(`${key}${SLASH}`)) {
      // It changed because something in it did.
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

/** Less than every other character: so all that is in a folder comes right behind it. */
const SLASH = '\0';

function keyOf(path: string): string {
  return path.replaceAll('/', SLASH);
}

/** Sorted changes without the folders above them. */
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
   * What is right below a folder, folders first.
   *
   * @param folder absolute; empty for the root.
   * @param from where to go on: what {@link ChangePage.rest} said.
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

  /** Every change, in the order of the tree. */
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
    // A folder with one folder in it is one row with it.
    const depth = this.#commonDepth(key, this.#leaf(next - 1).key, stop);
    const path = change.path.slice(0, depth);
    return {
      entry: {
        name: path.slice(prefix.length),
        path,
        kind: this.#kindOf(path),
        size: next - start,
      },
      next,
    };
  }

  /** How far the first and the last path of a folder have all folders in common. */
  #commonDepth(first: string, last: string, stop: number): number {
    let same = stop + 1;
    while (same < first.length && first.charAt(same) === last.charAt(same)) same += 1;
    return first.lastIndexOf(SLASH, same - 1);
  }

  /** Of a folder; what was deleted or added as a whole says so by the folder that went or came. */
  #kindOf(path: string): ChangeKind | undefined {
    return this.#folders.get(path);
  }

  #leaf(index: number): Leaf {
    const leaf = this.#leaves[index];
    if (!leaf) throw new RangeError(String(index));
    return leaf;
  }

  /** The first place whose key is not less. */
  #firstFrom(key: string, low = 0, high = this.#leaves.length): number {
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#leaf(middle).key < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The first place past all keys that begin with this one, which ends with a slash. */
  #firstAfter(prefix: string, low = 0, high = this.#leaves.length): number {
    return this.#firstFrom(`${prefix.slice(0, -1)}\x01`, low, high);
  }
}
