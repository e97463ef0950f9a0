import type { Endpoint } from '../engine/http/endpoint.ts';
import { FollowedWorktrees } from '../projects/worktrees/followedWorktrees.ts';
import type { WorktreeOverrides } from '../projects/worktrees/worktreeOverrides.ts';
import { presentWorktree } from '../views/containers/presentWorktree.ts';
import type { ShownWorktree } from '../views/rowPresentation.ts';

/** Follows the worktrees of projects, and reports what rows show of them. */
export function followWorktrees(
  overrides: WorktreeOverrides,
  { endpointOf, report, offerDown }: FollowOptions,
): FollowedWorktrees {
  const offered = new Set<string>();
  return new FollowedWorktrees(overrides, (project, state) => {
    const file = overrides.pathOf(project);
    report(project, state && presentWorktree(state, { file, endpointOf }));
    if (state?.isGone !== true || offered.has(project)) return;
    offered.add(project);
    offerDown(project);
  });
}

export interface FollowOptions {
  readonly endpointOf: (engine: string) => Endpoint | undefined;
  readonly report: (project: string, shown: ShownWorktree | undefined) => void;
  /** Called when the worktree of a project is gone, once in a session. */
  readonly offerDown: (project: string) => void;
}
