import type { TarEntry, TarKind } from '../engine/archive/readTar.ts';
import { MAX_PATH_LENGTH, pathSegments, type PathSegments } from './safePath.ts';

/**
 * What a tar of a folder tells of all that is below it, by its headers alone. Of the folder's own entries as many are
 * kept as there is room for, and as many again of the deeper ones.
 */
export class FileIndex {
  readonly #root: Node = { entry: ROOT, children: new Map(), isCut: false };
  readonly #room: number;
  #size = 0;
  #own = 0;
  #characters = 0;
  #last: PathSegments = [];

  /** @param room how many entries are kept. */
  constructor(room: number) {
    this.#room = room;
  }

  /** How many entries it has. */
  get size(): number {
    return this.#size;
  }

  /** Whether nothing that still comes is kept. */
  get isFull(): boolean {
    return this.#root.isFull === true;
  }

  /** Takes the next entry. A name that leaves the folder is none of it. */
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
    const name = parts.at(-1) ?? '';
    const before = parent.children?.get(name);
    if (!before && !this.#hasRoom(parts.length === 1)) {
      parent.isCut = true;
      if (parts.length === 1) parent.isFull = true;
      return;
    }
    if (!before) this.#size += 1;
    if (!before && parts.length === 1) this.#own += 1;
    this.#characters += length;
    const children =
      entry.kind === 'folder' ? (before?.children ?? new Map<string, Node>()) : undefined;
    parent.children?.set(name, { entry: this.#shaped(name, entry), children, isCut: false });
  }

  /** Says that no more comes, although there may be more: the folders around the last entry are not whole. */
  cut(): void {
    this.#root.isCut = true;
    let node: Node | undefined = this.#root;
    for (const part of this.#last) {
      node = node.children?.get(part);
      if (!node) return;
      node.isCut = true;
    }
  }

  /** What is in a folder; undefined where it is not in the index, or is no folder. */
  list(parts: PathSegments): Listing | undefined {
    const node = this.#nodeOf(parts);
    if (!node?.children) return undefined;
    const entries = [...node.children.values()].map(({ entry }) => entry);
    const isFull = node.isFull ? ({ isFull: true } as const) : undefined;
    return { entries: entries.sort(byName), isWhole: !node.isCut, ...isFull };
  }

  /** One entry; undefined where it is not in the index. */
  find(parts: PathSegments): FileEntry | undefined {
    return parts.length === 0 ? undefined : this.#nodeOf(parts)?.entry;
  }

  /** Every entry with its path below the folder, a folder before what is in it. */
  *walk(): Generator<{ readonly path: string; readonly entry: FileEntry }> {
    yield* walk(this.#root, '');
  }

  /** Whether all there is below the folder is in the index. */
  get isWhole(): boolean {
    return isWhole(this.#root);
  }

  #hasRoom(isOwn: boolean): boolean {
    return this.#characters < MOST_CHARACTERS && (isOwn ? this.#own : this.#size) < this.#room;
  }

  #parentOf(parts: PathSegments): Node | undefined {
    let node = this.#root;
    for (const part of parts.slice(0, -1)) {
      const next = node.children?.get(part);
      // Its folder found no room, or is no folder.
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
    // The bytes stand where the file was first named.
    const first = pathSegments(entry.linkTarget);
    const size = (first && this.find(first)?.size) ?? 0;
    return { ...own, kind: 'file', size, linkTarget: '' };
  }
}

/** One file, folder or link as a listing tells it. */
export interface FileEntry {
  readonly name: string;
  /** A hard link is a file. */
  readonly kind: Exclude<TarKind, 'hardLink'>;
  /** Bytes. */
  readonly size: number;
  /** The nine bits of who may do what. */
  readonly permissions: number;
  /** Milliseconds since 1970; 0 where it is not told. */
  readonly modifiedAt: number;
  /** What a link says; empty otherwise. */
  readonly linkTarget: string;
}

/** What is in a folder. */
export interface Listing {
  /** By name. */
  readonly entries: readonly FileEntry[];
  /** False where reading ended before the end: there may be more. */
  readonly isWhole: boolean;
  /** Whether there is more than is kept of a folder: reading on does not help. */
  readonly isFull?: true;
}

/** Characters of all paths and of what links say. */
const MOST_CHARACTERS = 64 * 1024 * 1024;

interface Node {
  entry: FileEntry;
  children: Map<string, Node> | undefined;
  /** Something below is not in the index. */
  isCut: boolean;
  /** More of its own entries came than are kept of a folder. */
  isFull?: true;
}

const ROOT: FileEntry = {
  ...{ name: '', kind: 'folder', size: 0, permissions: 0o755 },
  ...{ modifiedAt: 0, linkTarget: '' },
};

function isWhole({ isCut, children }: Node): boolean {
  if (isCut) return false;
  for (const child of children?.values() ?? []) if (!isWhole(child)) return false;
  return true;
}

function* walk(
  node: Node,
  path: string,
): Generator<{ readonly path: string; readonly entry: FileEntry }> {
  for (const [name, child] of node.children ?? []) {
    const inner = path === '' ? name : `${path}/${name}`;
    yield { path: inner, entry: child.entry };
    yield* walk(child, inner);
  }
}

function byName(a: FileEntry, b: FileEntry): number {
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}
