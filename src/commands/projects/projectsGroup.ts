import type { Commands } from '../command.ts';
import type { CommandDependencies } from '../commandDependencies.ts';
import { downCommand } from './downCommand.ts';
import { listProjectsCommand, projectCommands } from './projectCommands.ts';
import { pullProjectCommand } from './pullProjectCommand.ts';

/** The commands on compose projects and their services. */
export const projectsGroup = ({ ui }: CommandDependencies): readonly Commands[] => [
  {
    plain: [
      ...projectCommands(ui),
      listProjectsCommand(ui),
      pullProjectCommand(ui),
      downCommand(ui),
    ],
  },
];
