import { lstat, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isWithin } from '../fileAccess.ts';
import { branchOf, worktreeFileOf } from './findCheckout.ts';
import type { WorktreeRecord } from './worktreeOverrides.ts';

/** Finds what has become of the worktree of a project: it may have another branch or place, or be gone. Never rejects. */
export async function findWorktreeState({
  folder,
  gitFolder,
}: Pick<WorktreeRecord, 'folder' | 'gitFolder'>): Promise<WorktreeState> {
  const file = (await worktreeFileOf(gitFolder)) ?? join(folder, '.git');
  const branch = await branchOf(gitFolder);
  return {
    folder: dirname(file),
    isGone: await isGone(gitFolder, file),
    ...(branch !== undefined && { branch }),
    paths: [join(gitFolder, 'HEAD'), join(gitFolder, 'gitdir'), file],
  };
}

/** What is known of the worktree of a project now. The paths are absolute. Nothing is for display as it is. */
export interface WorktreeState {
  /** Where it is, or was. */
  readonly folder: string;
  /** Missing if no branch is checked out. */
  readonly branch?: string;
  /** Whether it was removed. False if that cannot be known: its disk may not be mounted. */
  readonly isGone: boolean;
  /** The files that say so. */
  readonly paths: readonly string[];
}

/** @param file the `.git` file, or folder, of the worktree. */
async function isGone(gitFolder: string, file: string): Promise<boolean> {
  const isOfWorktree = basename(dirname(gitFolder)) === 'worktrees';
  const common = isOfWorktree ? dirname(dirname(gitFolder)) : gitFolder;
  const hasRepository = await isThere(join(common, 'HEAD'));
  // The repository itself does not know it any more.
  if (hasRepository && (await isMissing(join(gitFolder, 'HEAD')))) return true;
  // Git locks worktrees on disks that are not always mounted.
  if (await isThere(join(gitFolder, 'locked'))) return false;
  if (!(await isMissing(file))) return false;
  const root = dirname(file);
  const isInRepository = isOfWorktree && hasRepository && isWithin(root, [dirname(common)]);
  // An empty folder may be where its disk would be mounted.
  return isInRepository || (await isThere(root)) || !(await isEmpty(dirname(root)));
}

/** Whether something has this path, also a link to nothing. Never rejects. */
export async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** Returns false if the file system does not say. */
async function isMissing(path: string): Promise<boolean> {
  return lstat(path).then(
    () => false,
    (error: unknown) => /^ENO(?:ENT|TDIR)$/.test((error as NodeJS.ErrnoException).code ?? ''),
  );
}

/** Returns true if the folder cannot be read. */
async function isEmpty(folder: string): Promise<boolean> {
  const entries = await readdir(folder).catch(() => []);
  return entries.length === 0;
}
