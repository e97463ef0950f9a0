import { hasReplacement } from '../engine/archive/hasReplacement.ts';
import type { TarEntry, TarKind } from '../engine/archive/readTar.ts';
import { MAX_PATH_LENGTH, pathSegments, type PathSegments } from './safePath.ts';

/**
 * An index of all entries below a folder, built from the headers of a tar stream. Keeps up to `room` direct
 * children of the folder, and deeper entries while the total is below `room`.
 */
export class FileIndex {
  readonly #root: Node = { entry: ROOT, children: new Map(), isCut: false };
  readonly #room: number;
  #size = 0;
  #own = 0;
  #characters = 0;
  #last: PathSegments = [];
  readonly #unmounted: string[] = [];

  constructor(room: number) {
    this.#room = room;
  }

  get size(): number {
    return this.#size;
  }

  /** Whether the limit of direct children is reached, so that reading on adds nothing. */
  get isFull(): boolean {
    return this.#root.isFull === true;
  }

  /** Adds the next entry. Ignores a name that leaves the folder. */
  add(entry: TarEntry): void {
    const length = entry.name.length + entry.linkTarget.length;
    if (length > MAX_PATH_LENGTH * 2) {
      this.#root.isCut = true;
      return;
    }
    const parts = pathSegments(entry.name);
    if (!parts || parts.length === 0) return;
    this.#last = parts;
    const parent = this.#parentOf(parts);
    if (!parent) return;
    const name = ownName(parts.at(-1) ?? '', parent, entry.kind);
    const before = parent.children?.get(name);
    if (!before && !this.#hasRoom(parts.length === 1)) {
      parent.isCut = true;
      if (parts.length === 1) parent.isFull = true;
      return;
    }
    const shaped = this.#shaped(name, entry);
    if (before) this.#replace(before, shaped);
    else this.#insert(parent, shaped, entry.name.length, parts.length === 1);
  }

  /** Marks the index as incomplete because reading stopped early: the folders around the last entry may have more. */
  cut(): void {
    this.#root.isCut = true;
    let node: Node | undefined = this.#root;
    for (const part of this.#last) {
      node = node.children?.get(part);
      if (!node) return;
      node.isCut = true;
    }
  }

  /** Marks a folder as incomplete because a volume in it is not mounted. */
  miss(parts: PathSegments, volume?: string): void {
    let node = this.#root;
    for (const part of parts) {
      const next = node.children?.get(part);
      if (!next) break;
      node = next;
    }
    node.isCut = true;
    if (volume !== undefined) this.#unmounted.push(volume);
  }

  /** The volumes whose files are missing because the engine has not mounted them. */
  get unmounted(): readonly string[] {
    return this.#unmounted;
  }

  /** Returns the contents of a folder, or undefined if the path is not in the index or is not a folder. */
  list(parts: PathSegments): Listing | undefined {
    const node = this.#nodeOf(parts);
    if (!node?.children) return undefined;
    const entries = [...node.children.values()].map(({ entry }) => entry);
    const isFull = node.isFull ? ({ isFull: true } as const) : undefined;
    return {
      entries: entries.sort((a, b) => (a.name < b.name ? -1 : 1)),
      isWhole: !node.isCut,
      ...isFull,
    };
  }

  find(parts: PathSegments): FileEntry | undefined {
    return parts.length === 0 ? undefined : this.#nodeOf(parts)?.entry;
  }

  /** Yields all entries with their path below the folder, each folder before its contents. */
  *walk(): Generator<FoundPath> {
    yield* walk(this.#root, '');
  }

  /** Whether the index has all entries below the folder. */
  get isWhole(): boolean {
    return isWhole(this.#root);
  }

  #hasRoom(isOwn: boolean): boolean {
    return this.#characters < MOST_CHARACTERS && (isOwn ? this.#own : this.#size) < this.#room;
  }

  #insert(parent: Node, entry: FileEntry, pathLength: number, isOwn: boolean): void {
    this.#size += 1;
    if (isOwn) this.#own += 1;
    this.#characters += pathLength + entry.linkTarget.length;
    const children = entry.kind === 'folder' ? new Map<string, Node>() : undefined;
    parent.children?.set(entry.name, { entry, children, isCut: false });
  }

  /** Replaces an entry whose path comes again. A folder keeps its contents unless it becomes something else. */
  #replace(node: Node, entry: FileEntry): void {
    this.#characters += entry.linkTarget.length - node.entry.linkTarget.length;
    node.entry = entry;
    if (entry.kind === 'folder') {
      node.children ??= new Map();
      return;
    }
    this.#size -= [...walk(node, '')].length;
    node.children = undefined;
    node.isCut = false;
  }

  #parentOf(parts: PathSegments): Node | undefined {
    let node = this.#root;
    for (const part of parts.slice(0, -1)) {
      const next = node.children?.get(part);
      // The parent folder was dropped for lack of room, or is not a folder.
      if (!next?.children) {
        node.isCut = true;
        return undefined;
      }
      node = next;
    }
    return node;
  }

  #nodeOf(parts: PathSegments): Node | undefined {
    let node: Node | undefined = this.#root;
    for (const part of parts) node = node?.children?.get(part);
    return node;
  }

  #shaped(name: string, entry: TarEntry): FileEntry {
    const { permissions, modifiedAt } = entry;
    const own = { name, permissions, modifiedAt };
    if (entry.kind !== 'hardLink') {
      const { kind, size, linkTarget } = entry;
      return { ...own, kind, size, linkTarget };
    }
    // A hard link has no size of its own: use the size of the entry it links to.
    const first = pathSegments(entry.linkTarget);
    const size = (first && this.find(first)?.size) ?? 0;
    return { ...own, kind: 'file', size, linkTarget: '' };
  }
}

/** A file, folder, or link in a listing. */
export interface FileEntry {
  readonly name: string;
  /** A hard link counts as a file. */
  readonly kind: Exclude<TarKind, 'hardLink'>;
  /** In bytes. */
  readonly size: number;
  /** The nine permission bits. */
  readonly permissions: number;
  /** Milliseconds since 1970, or 0 if unknown. */
  readonly modifiedAt: number;
  /** The target of a symbolic link, otherwise empty. */
  readonly linkTarget: string;
}

export interface Listing {
  /** Sorted by name. */
  readonly entries: readonly FileEntry[];
  /** False if reading stopped early and there may be more entries. */
  readonly isWhole: boolean;
  /** Whether the folder has more entries than the index keeps. Reading on does not help. */
  readonly isFull?: true;
}

/** Limit for the characters of all paths and link targets. */
const MOST_CHARACTERS = 64 * 1024 * 1024;

interface Node {
  entry: FileEntry;
  children: Map<string, Node> | undefined;
  /** Number of names that have become the same text, because they are not UTF-8. */
  copies?: Map<string, number>;
  /** Whether some entry below is missing from the index. */
  isCut: boolean;
  /** Whether the folder has more direct children than the index keeps. */
  isFull?: true;
}

const ROOT: FileEntry = {
  name: '',
  kind: 'folder',
  size: 0,
  permissions: 0o755,
  modifiedAt: 0,
  linkTarget: '',
};

/** Returns the name of a row: those that are not UTF-8 can be equal here, and are different files. */
function ownName(name: string, parent: Node, kind: TarKind): string {
  if (kind === 'folder' || !hasReplacement(name)) return name;
  const copies = (parent.copies ??= new Map<string, number>());
  const count = (copies.get(name) ?? 0) + 1;
  copies.set(name, count);
  return count === 1 ? name : `${name} (${count})`;
}

function isWhole({ isCut, children }: Node): boolean {
  if (isCut) return false;
  for (const child of children?.values() ?? []) if (!isWhole(child)) return false;
  return true;
}

function* walk(node: Node, path: string): Generator<FoundPath> {
  for (const [name, child] of node.children ?? []) {
    const inner = path === '' ? name : `${path}/${name}`;
    yield { path: inner, entry: child.entry };
    yield* walk(child, inner);
  }
}

/**
 * Returns the paths that contain all words of a query, ignoring case. Paths whose file name contains the last
 * word come first, then shorter paths.
 *
 * @param matches filters entries before the limit applies.
 */
export function findPaths(
  index: FileIndex,
  query: string,
  limit: number,
  matches: (entry: FileEntry) => boolean = () => true,
): readonly FoundPath[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const named: FoundPath[] = [];
  const others: FoundPath[] = [];
  for (const found of index.walk()) {
    const path = found.path.toLowerCase();
    if (!words.every((word) => path.includes(word)) || !matches(found.entry)) continue;
    const isNamed = found.entry.name.toLowerCase().includes(words.at(-1) ?? '');
    const list = isNamed ? named : others;
    // Bounds the memory of large matches. Still enough to sort the best ones to the front.
    if (list.length < 50 * limit) list.push(found);
  }
  return [...named.sort(byLength), ...others.sort(byLength)].slice(0, limit);
}

/** An entry and its path below the folder of the index. */
export interface FoundPath {
  readonly path: string;
  readonly entry: FileEntry;
}

function byLength(a: FoundPath, b: FoundPath): number {
  return a.path.length - b.path.length || (a.path < b.path ? -1 : 1);
}
