import { findWorktreeState } from '../projects/worktrees/findWorktreeState.ts';
import type { WorktreeOverrides } from '../projects/worktrees/worktreeOverrides.ts';
import { formatWorktree } from '../views/containers/presentWorktree.ts';
import { formatLine, joinParts } from '../views/format.ts';

/** Resolves to the names of the worktrees that projects are of, by the names of the projects. Never rejects. */
export async function worktreeNames(
  overrides: Pick<WorktreeOverrides, 'all'>,
): Promise<ReadonlyMap<string, string>> {
  const records = await overrides.all();
  const found = await Promise.all(
    records.map(async (record) => ({ ...record, state: await findWorktreeState(record) })),
  );
  const byName = Map.groupBy(found, ({ state }) => formatWorktree(state));
  return new Map(
    [...byName].flatMap(([name, all]) => {
      // Of several repositories, worktrees may have the same branch and folder name.
      const isOne = new Set(all.map(({ gitFolder }) => gitFolder)).size === 1;
      return all.map(({ project, state }) => {
        return [project, isOne ? name : joinParts(name, formatLine(state.folder))] as const;
      });
    }),
  );
}
