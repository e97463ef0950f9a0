import { realpath } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { isWithin } from '../fileAccess.ts';
import { branchOf, findCheckout, rootsOf, type Checkout } from './findCheckout.ts';

/** Finds the worktree that a folder is in; undefined if it is in no repository. Never rejects. */
export async function findWorktree(folder: string): Promise<Worktree | undefined> {
  const real = await realpath(folder).catch(() => folder);
  const repository = await findCheckout(real);
  if (!repository) return undefined;
  const branch = await branchOf(repository.gitFolder);
  return {
    ...repository,
    below: relative(repository.root, real),
    mainRoot: mainRootOf(repository.common),
    ...(branch !== undefined && { branch }),
  };
}

/** A folder in a worktree of a repository. */
export interface Worktree extends Checkout {
  /** The path of the folder in the worktree; empty for the worktree itself. */
  readonly below: string;
  /** Where the repository itself is checked out, or the bare repository lies. */
  readonly mainRoot: string;
  /** Missing if no branch is checked out. Not for display as it is. */
  readonly branch?: string;
}

/**
 * Returns files of another worktree, which the first one is in, as those of the worktree of one of these folders; as they
 * are if they are in one of the folders, or in none of their repositories. Where the files lead is not looked at.
 */
export async function inOwnWorktree(
  files: readonly string[],
  folders: readonly string[],
): Promise<readonly string[]> {
  const [first] = files;
  if (first === undefined || files.every((file) => isWithin(file, folders))) return files;
  for (const folder of folders) {
    const own = await findWorktree(folder);
    const roots = own ? await rootsOf(own.common) : [];
    const other = innermostRoot(first, roots);
    if (!own || other === undefined) continue;
    return files.map((file) =>
      isWithin(file, [other]) ? join(own.root, relative(other, file)) : file,
    );
  }
  return files;
}

/** Returns which of these roots a path is in: of worktrees in others, the innermost one. Where it leads is not looked at. */
export function innermostRoot(path: string, roots: readonly string[]): string | undefined {
  const around = roots.filter((root) => isWithin(path, [root]));
  return around.toSorted((a, b) => b.length - a.length)[0];
}

function mainRootOf(common: string): string {
  return basename(common) === '.git' ? dirname(common) : common.replace(/\.git$/, '');
}
