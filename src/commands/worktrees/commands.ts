import type { Command } from '../frame/command.ts';
import { listWorktreesCommand } from './listWorktreesCommand.ts';

/** The commands on the projects of worktrees. */
export const commands = (): readonly Command[] => [listWorktreesCommand()];
