import type { CommandDependencies } from '../frame/commandDependencies.ts';
import {
  browseCommand,
  closeFilesCommand,
  copyPathCommand,
  openFileCommand,
  refreshFilesCommand,
} from './browseCommands.ts';
import { compareFileCommand } from './compareFileCommand.ts';
import { createFileCommand, createFolderCommand } from './createCommands.ts';
import { deleteCommand } from './deleteCommand.ts';
import { downloadCommand } from './downloadCommand.ts';
import { findFileCommand } from './findFileCommand.ts';
import { duplicateFileCommand, renameCommand } from './renameCommands.ts';
import { uploadCommand } from './uploadCommand.ts';
import { writeCommand } from './writeCommand.ts';
import type { Command } from '../frame/command.ts';

/** The commands on files. */
export const commands = ({ ui }: Pick<CommandDependencies, 'ui'>): readonly Command[] => [
  browseCommand(),
  openFileCommand(),
  findFileCommand(ui),
  downloadCommand(ui),
  uploadCommand(ui),
  writeCommand(),
  compareFileCommand(ui),
  createFileCommand(),
  createFolderCommand(),
  renameCommand(),
  duplicateFileCommand(),
  deleteCommand(),
  copyPathCommand(ui),
  refreshFilesCommand(),
  closeFilesCommand(),
];
