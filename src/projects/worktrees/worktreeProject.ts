import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { pathKey, projectName } from '../projectOfFiles.ts';
import type { Worktree } from './findWorktree.ts';

/**
 * Returns the name of the project of a worktree: the project, the branch, and a hash that tells it from those of all
 * others, such as `shop-feature-login-1f0c2a9b`. Compose accepts it.
 *
 * @param written the name that the compose files have; undefined if they have none.
 */
export function worktreeProject(worktree: Worktree, written: string | undefined): WorktreeName {
  const { mainRoot, below, branch, root, gitFolder, isLinked } = worktree;
  const base = projectName(written ?? join(mainRoot, below)) || 'project';
  const place = slugOf(branch ?? root.replace(/^.*[\\/]/, ''));
  // A folder that only says that it is the worktree of another one has a project of its own.
  const own = [pathKey(gitFolder), below, base, ...(isLinked ? [] : [pathKey(root)])];
  const key = createHash('sha256').update(own.join('\0')).digest('hex');
  const suffix = [place, key.slice(0, HASH)].filter((part) => part !== '').join('-');
  const start = withoutDashes(base.slice(0, LONGEST_BASE));
  return { project: `${start}-${suffix}`, suffix, base };
}

/** The name of the project of a worktree. */
export interface WorktreeName {
  readonly project: string;
  /** The part after the name of the project in the files. */
  readonly suffix: string;
  /** The name of the project in the files. */
  readonly base: string;
}

/** Returns the name with which the project of the same worktree exists: it had another branch when it was created. */
export function existingName({ base, suffix }: WorktreeName, project: string): WorktreeName {
  const start = `${withoutDashes(base.slice(0, LONGEST_BASE))}-`;
  const own = project.startsWith(start) ? project.slice(start.length) : suffix;
  return { project, suffix: own, base };
}

/** Returns the hash at the end of a name, by which another name of the same worktree is found. */
export function hashAtEnd(project: string): string {
  return project.slice(-HASH);
}

/** In characters. The names of containers and images have the name of the project, and limits. */
const LONGEST_BASE = 30;
const LONGEST_BRANCH = 24;
const HASH = 8;

function slugOf(branch: string): string {
  const plain = branch.slice(0, 4 * LONGEST_BRANCH).toLowerCase();
  return withoutDashes(plain.replace(/[^a-z0-9]+/g, '-').slice(0, LONGEST_BRANCH + 1));
}

function withoutDashes(text: string): string {
  return text.replace(/^[-_]+/, '').replace(/[-_]{1,40}$/, '');
}
