/** Reads what git has written about a repository and its worktrees, without git. */

import { readdir } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { readLocalFile } from '../../base/readLocalFile.ts';
import { pathKey } from '../projectOfFiles.ts';

/** Finds the repository that a folder is in; undefined if it is in none. Never rejects. @param folder a real path. */
export async function findCheckout(folder: string): Promise<Checkout | undefined> {
  let root = folder;
  for (let steps = 0; steps < MOST_ABOVE; steps += 1) {
    const git = join(root, '.git');
    if ((await entriesOf(git)).includes('HEAD'))
      return { root, common: git, gitFolder: git, isLinked: true };
    const [, own] = /^gitdir: (.+)/.exec(await lineOf(git)) ?? [];
    if (own !== undefined) {
      if (isShare(own)) return undefined;
      const gitFolder = resolve(root, own);
      const common = (await lineOf(join(gitFolder, 'commondir'))) || '.';
      if (isShare(common)) return undefined;
      const back = await worktreeFileOf(gitFolder);
      const isLinked = back !== undefined && pathKey(back) === pathKey(git);
      return { root, common: resolve(gitFolder, common), gitFolder, isLinked };
    }
    if (dirname(root) === root) return undefined;
    root = dirname(root);
  }
  return undefined;
}

/** Where a repository, or one of its worktrees, is checked out. All paths are absolute. */
export interface Checkout {
  /** The folder with the files. */
  readonly root: string;
  /** The folder of git that all worktrees have in common. */
  readonly common: string;
  /** The folder of git of this worktree alone. It stays the same if the worktree is moved. */
  readonly gitFolder: string;
  /** Whether that folder names this one, too. Otherwise this one may be a copy, or a submodule. */
  readonly isLinked: boolean;
}

/** Returns the roots of all worktrees of a repository, first that of the repository itself. Never rejects. */
export async function rootsOf(common: string): Promise<readonly string[]> {
  const names = (await entriesOf(join(common, 'worktrees'))).slice(0, MOST_WORKTREES);
  const files = await Promise.all(
    names.map((name) => worktreeFileOf(join(common, 'worktrees', name))),
  );
  const main = basename(common) === '.git' ? [common] : [];
  return [...main, ...files.filter((file) => file !== undefined)].map((file) => dirname(file));
}

/**
 * Returns the `.git` file of a worktree, which git corrects when it moves the worktree; undefined if the folder of git is
 * not that of a worktree. Never rejects.
 */
export async function worktreeFileOf(gitFolder: string): Promise<string | undefined> {
  const line = await lineOf(join(gitFolder, 'gitdir'));
  const file = line === '' || isShare(line) ? '' : resolve(gitFolder, line);
  return isAbsolute(file) && basename(file) === '.git' ? file : undefined;
}

/**
 * Returns the branch that is checked out; undefined if none is (detached HEAD), or it cannot be read. Not for display as
 * it is. Never rejects.
 *
 * @param gitFolder see {@link Checkout}.
 */
export async function branchOf(gitFolder: string): Promise<string | undefined> {
  const [, branch] = /^ref: refs\/heads\/(.+)/.exec(await lineOf(join(gitFolder, 'HEAD'))) ?? [];
  // A repository whose references are in tables has this in place of the branch.
  return branch === '.invalid' ? undefined : branch;
}

/** Maximum number of worktrees of a repository, and of folders above a folder that are looked at. */
const MOST_WORKTREES = 100;
const MOST_ABOVE = 30;
/** In bytes: a file has one path. */
const LONGEST = 10_000;

/** Windows signs in to the server that such a path names. */
function isShare(path: string): boolean {
  return /^[\\/]{2}/.test(path);
}

async function entriesOf(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}

async function lineOf(file: string): Promise<string> {
  const bytes = await readLocalFile(file, { within: false, limit: LONGEST }).catch(() => '');
  return (bytes.toString().split('\n')[0] ?? '').trim();
}
