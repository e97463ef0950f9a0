/** What is loaded together when a worktree is first looked for: a file for each part would cost more than it saves. */

export { worktreesOf } from '../projects/workspace/worktreesOf.ts';
export { WorktreeOverrides } from '../projects/worktrees/worktreeOverrides.ts';
export { followWorktrees } from './followWorktrees.ts';
