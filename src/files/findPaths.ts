import type { FileIndex } from './fileIndex.ts';
import type { FileEntry } from './fileIndex.ts';

/**
 * Paths that have all the words of a query in them, whatever their case: those with the last word in their own name
 * first, then the shorter ones.
 *
 * @param limit how many at most.
 * @param isMeant leaves out what is not meant, so that it does not count.
 */
export function findPaths(
  index: FileIndex,
  query: string,
  limit: number,
  isMeant: (entry: FileEntry) => boolean = () => true,
): readonly FoundPath[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const named: FoundPath[] = [];
  const others: FoundPath[] = [];
  for (const found of index.walk()) {
    const path = found.path.toLowerCase();
    if (!words.every((word) => path.includes(word)) || !isMeant(found.entry)) continue;
    const isNamed = found.entry.name.toLowerCase().includes(words.at(-1) ?? '');
    const list = isNamed ? named : others;
    // Enough to choose the best from, whatever there is.
    if (list.length < 50 * limit) list.push(found);
  }
  return [...named.sort(byLength), ...others.sort(byLength)].slice(0, limit);
}

/** One path that was found. */
export interface FoundPath {
  /** Below the folder that was searched. */
  readonly path: string;
  readonly entry: FileEntry;
}

function byLength(a: FoundPath, b: FoundPath): number {
  return a.path.length - b.path.length || (a.path < b.path ? -1 : 1);
}
