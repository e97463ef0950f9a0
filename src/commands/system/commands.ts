import type { Command } from '../frame/command.ts';
import type { CommandDependencies } from '../frame/commandDependencies.ts';
import {
  cleanUpBuildCacheCommand,
  cleanUpCommand,
  pruneSystemCommand,
} from './pruneSystemCommand.ts';
import { diskUseCommand, systemDiskUseCommand } from './diskUseCommand.ts';
import { pruneKindCommands } from './pruneKindCommands.ts';

/** The commands on everything that an engine stores. */
export const commands = ({ ui }: CommandDependencies): readonly Command[] => [
  diskUseCommand(ui),
  ...pruneKindCommands(),
  systemDiskUseCommand(ui),
  pruneSystemCommand(),
  cleanUpCommand(),
  cleanUpBuildCacheCommand(),
];
