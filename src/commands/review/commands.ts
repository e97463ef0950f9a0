import type { Command } from '../frame/command.ts';
import type { CommandDependencies } from '../frame/commandDependencies.ts';
import { commitCommand } from './commitCommand.ts';
import { compareBuildCommand } from './compareBuildCommand.ts';
import { reviewChangesCommand, reviewContentsCommand } from './reviewChangesCommand.ts';
import { reviewCommands } from './reviewCommands.ts';

/**
 * The commands that compare a container or image with its base, or a build with the last one, and commit a container.
 */
export async function commands(parts: CommandDependencies): Promise<readonly Command[]> {
  const reviews = await parts.reviews();
  return [
    commitCommand(reviews),
    reviewChangesCommand(reviews),
    reviewContentsCommand(reviews),
    compareBuildCommand(reviews),
    ...reviewCommands(parts, reviews),
  ];
}
