import { realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { findCheckout, rootsOf } from '../worktrees/findCheckout.ts';

/**
 * Returns where else folders are: where links lead, and the same folders in the other worktrees of their repositories.
 * Reads what git has written, without git.
 */
export async function worktreesOf(folders: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(folders.slice(0, MOST_FOLDERS).map(placesOf));
  return [...new Set(found.flat())].filter((place) => !folders.includes(place));
}

const MOST_FOLDERS = 50;

async function placesOf(folder: string): Promise<readonly string[]> {
  const real = await realpath(folder).catch(() => folder);
  const repository = await findCheckout(real);
  if (!repository) return [real];
  const below = relative(repository.root, real);
  const roots = await rootsOf(repository.common);
  return [real, ...roots.map((root) => join(root, below))];
}
