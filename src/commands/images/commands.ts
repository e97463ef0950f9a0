import type { Command } from '../frame/command.ts';
import type { CommandDependencies } from '../frame/commandDependencies.ts';
import { imageHistoryCommand } from './imageHistoryCommand.ts';
import { imageViewCommands } from './imageViewCommands.ts';
import { importImageCommand, loadImagesCommand } from './loadImagesCommand.ts';
import { removeImageCommand } from './removeImageCommand.ts';
import { saveImagesCommand } from './saveImagesCommand.ts';
import { tagCommand } from './tagCommand.ts';

/** The commands on images. */
export const commands = ({ ui, rows }: CommandDependencies): readonly Command[] => [
  tagCommand(),
  removeImageCommand(ui),
  imageHistoryCommand(),
  saveImagesCommand(),
  loadImagesCommand(ui),
  importImageCommand(ui),
  ...imageViewCommands(ui, rows),
];
