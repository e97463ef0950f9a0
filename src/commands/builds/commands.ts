import type { Command } from '../frame/command.ts';
import type { CommandDependencies } from '../frame/commandDependencies.ts';
import { compareAction } from '../review/compareBuildCommand.ts';
import { bakeCommand } from './bakeCommand.ts';
import { buildAgainCommand } from './buildAgainCommand.ts';
import { buildCommand, type BuildFollowUps } from './buildCommand.ts';
import { cancelBuildCommand, listBuildsCommand, removeBuildCommand } from './buildListCommands.ts';
import {
  buildLogCommand,
  buildStepsCommand,
  copyBuildNameCommand,
  openBuildLogViewerCommand,
} from './buildLogCommands.ts';
import { checkBuildCommand } from './checkBuildCommand.ts';
import { openDockerfileCommand } from './openDockerfileCommand.ts';
import { sentFilesCommand } from './sentFilesCommand.ts';
import { stepShellCommand } from './stepShellCommand.ts';

/** The commands that build images, and those on builds. */
export const commands = ({ ui, reviews }: CommandDependencies): readonly Command[] => {
  const follow: BuildFollowUps = {
    compare: (context, run) => compareAction(context, run, reviews),
  };
  return [
    buildCommand(ui, follow),
    buildAgainCommand(ui, follow),
    checkBuildCommand(ui),
    bakeCommand(),
    listBuildsCommand(),
    buildStepsCommand(),
    buildLogCommand(ui),
    openBuildLogViewerCommand(),
    cancelBuildCommand(),
    removeBuildCommand(ui),
    copyBuildNameCommand(ui),
    sentFilesCommand(),
    openDockerfileCommand(),
    stepShellCommand(),
  ];
};
