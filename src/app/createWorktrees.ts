import { join } from 'node:path';
import { once, type Disposable } from '../base/lifetime.ts';
import { isWithin, type FileAccess } from '../projects/fileAccess.ts';
import { Orphans } from '../projects/orphans.ts';
import type { Core } from './core.ts';
import { workspaceFiles } from './workspaceFiles.ts';

/**
 * Returns the files that separate the projects of worktrees, and what is known of compose files, these included.
 *
 * @param storage the folder of the extension.
 */
export function createWorktrees(
  storage: string,
  own: <T extends Disposable>(item: T) => T,
): Pick<Core, 'worktrees' | 'orphans'> {
  const folder = join(storage, 'worktrees');
  const { mayRead, onDidChange } = workspaceFiles;
  const access: FileAccess = {
    mayRead: (path) => isWithin(path, [folder]) || mayRead(path),
    onDidChange,
  };
  return {
    orphans: own(new Orphans(access)),
    worktrees: once(async () => {
      const { WorktreeOverrides } = await import('../projects/worktrees/worktreeOverrides.ts');
      return own(new WorktreeOverrides(folder));
    }),
  };
}
