import type { Command } from '../frame/command.ts';
import type { CommandDependencies } from '../frame/commandDependencies.ts';
import { composeCommands, copyUpCommand } from './composeCommands.ts';
import { downCommand } from './downCommand.ts';
import { listProjectsCommand, projectCommands } from './projectCommands.ts';
import { openComposeFileCommand } from './openComposeFileCommand.ts';
import { projectMenuCommands } from './projectMenuCommands.ts';
import { pullProjectCommand } from './pullProjectCommand.ts';

/** The commands on compose projects and their services. */
export const commands = (parts: CommandDependencies): readonly Command[] => [
  ...projectCommands(),
  listProjectsCommand(),
  pullProjectCommand(),
  downCommand(),
  ...composeCommands(),
  copyUpCommand(parts.ui),
  ...projectMenuCommands(parts),
  openComposeFileCommand(),
];
