import type { ReviewController } from '../../review/reviewController.ts';
import type { Commands } from '../frame/command.ts';
import type { CommandDependencies } from '../frame/commandDependencies.ts';
import type { CommandRegistry } from '../frame/commandRegistry.ts';
import { commitCommand } from './commitCommand.ts';
import { compareBuildCommand } from './compareBuildCommand.ts';
import { reviewChangesCommand, reviewContentsCommand } from './reviewChangesCommand.ts';
import { reviewCommands } from './reviewCommands.ts';

/** The commands that compare a container or image with its base, or a build with the last one, and commit a container. */
export function changesGroup(
  parts: CommandDependencies,
  reviews: ReviewController,
  registry: CommandRegistry,
): readonly Commands[] {
  const { choice } = parts;
  return [
    {
      targets: [
        commitCommand(reviews),
        reviewChangesCommand(reviews),
        reviewContentsCommand(reviews),
      ],
    },
    { plain: [compareBuildCommand(reviews)] },
    reviewCommands(parts, registry, reviews, choice),
  ];
}
