import type { Commands } from '../frame/command.ts';
import type { CommandDependencies } from '../frame/commandDependencies.ts';
import { imageHistoryCommand } from './imageHistoryCommand.ts';
import { imageViewCommands } from './imageViewCommands.ts';
import { importImageCommand, loadImagesCommand } from './loadImagesCommand.ts';
import { removeImageCommand } from './removeImageCommand.ts';
import { saveImagesCommand } from './saveImagesCommand.ts';
import { tagCommand } from './tagCommand.ts';

/** The commands on images. */
export const imagesGroup = ({
  ui,
  documents,
  imageView,
}: CommandDependencies): readonly Commands[] => [
  imageViewCommands(ui, imageView),
  {
    targets: [tagCommand(), removeImageCommand(ui), imageHistoryCommand(documents)],
    plain: [saveImagesCommand(), loadImagesCommand(ui), importImageCommand(ui)],
  },
];
