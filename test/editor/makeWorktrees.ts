import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Makes a repository and one worktree of it as git writes them: the machine of the tests may have no git.
 *
 * @param main the folder of the repository. @param linked that of the worktree. Each with its branch.
 */
export function makeWorktrees(main: Checkout, linked: Checkout): void {
  const git = join(main.folder, '.git');
  const own = join(git, 'worktrees/linked');
  for (const folder of [own, linked.folder]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(git, 'HEAD'), `ref: refs/heads/${main.branch}\n`);
  writeFileSync(join(own, 'HEAD'), `ref: refs/heads/${linked.branch}\n`);
  writeFileSync(join(own, 'commondir'), '../..\n');
  writeFileSync(join(own, 'gitdir'), `${join(linked.folder, '.git')}\n`);
  writeFileSync(join(linked.folder, '.git'), `gitdir: ${own}\n`);
}

interface Checkout {
  /** Absolute. */
  readonly folder: string;
  readonly branch: string;
}
