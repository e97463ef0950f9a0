import type { Command } from '../frame/command.ts';
import type { CommandDependencies } from '../frame/commandDependencies.ts';
import { composeCommands, copyUpCommand } from './composeCommands.ts';
import { downCommand } from './downCommand.ts';
import { listProjectsCommand, projectCommands } from './projectCommands.ts';
import { pullProjectCommand } from './pullProjectCommand.ts';
import { upChangesCommands, whatWouldUpChangeCommand } from './whatWouldUpChangeCommand.ts';

/** The commands on compose projects and their services. */
export const commands = (parts: CommandDependencies): readonly Command[] => {
  const { ui, compose, upChanges } = parts;
  return [
    ...projectCommands(),
    listProjectsCommand(),
    pullProjectCommand(),
    downCommand(),
    ...composeCommands(compose),
    copyUpCommand(ui, compose),
    whatWouldUpChangeCommand(ui, compose, upChanges),
    ...upChangesCommands(parts, upChanges),
  ];
};
