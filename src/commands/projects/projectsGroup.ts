import type { Commands } from '../command.ts';
import type { CommandDependencies } from '../commandDependencies.ts';
import { composeCommands } from './composeCommands.ts';
import { downCommand } from './downCommand.ts';
import { listProjectsCommand, projectCommands } from './projectCommands.ts';
import { pullProjectCommand } from './pullProjectCommand.ts';
import { whatWouldUpChangeCommand } from './whatWouldUpChangeCommand.ts';

/** The commands on compose projects and their services. */
export const projectsGroup = ({ ui, compose }: CommandDependencies): readonly Commands[] => [
  {
    plain: [
      ...projectCommands(ui),
      listProjectsCommand(ui),
      pullProjectCommand(ui),
      downCommand(ui),
      ...composeCommands(ui, compose),
      whatWouldUpChangeCommand(ui, compose),
    ],
  },
];
