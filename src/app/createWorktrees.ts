import { join } from 'node:path';
import { once, type Disposable } from '../base/lifetime.ts';
import { isWithin, type FileAccess } from '../projects/fileAccess.ts';
import { Orphans } from '../projects/orphans.ts';
import { KnownWorktrees } from '../projects/worktrees/knownWorktrees.ts';
import type { Core } from './core.ts';
import type { FollowOptions } from './followWorktrees.ts';
import { workspaceFiles } from './workspaceFiles.ts';

/**
 * Returns the files that separate the projects of worktrees, and what is known of the compose files.
 *
 * @param storage the folder of the extension.
 */
export function createWorktrees(
  storage: string,
  own: <T extends Disposable>(item: T) => T,
  options: Pick<FollowOptions, 'endpointOf' | 'offerDown'>,
): Pick<Core, 'worktrees' | 'orphans' | 'knownWorktrees'> {
  const folder = join(storage, 'worktrees');
  const access: FileAccess = { ...workspaceFiles, isOwn: (path) => isWithin(path, [folder]) };
  const worktrees = once(async () => {
    const { WorktreeOverrides } = await import('./lateWorktrees.ts');
    return own(new WorktreeOverrides(folder));
  });
  return {
    orphans: own(new Orphans(access)),
    worktrees,
    knownWorktrees: own(
      new KnownWorktrees(folder, async (report) => {
        const { followWorktrees } = await import('./lateWorktrees.ts');
        return own(followWorktrees(await worktrees(), { ...options, report }));
      }),
    ),
  };
}
