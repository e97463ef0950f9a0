import type { Commands } from '../frame/command.ts';
import type { Ui } from '../ui/ui.ts';
import {
  cleanUpBuildCacheCommand,
  cleanUpCommand,
  pruneSystemCommand,
} from './pruneSystemCommand.ts';
import { diskUseCommand, systemDiskUseCommand } from './diskUseCommand.ts';
import { pruneImagesCommand } from './pruneImagesCommand.ts';

/** The commands on everything that an engine stores. */
export const systemGroup = (ui: Ui): readonly Commands[] => [
  {
    plain: [
      diskUseCommand(ui),
      pruneImagesCommand(),
      systemDiskUseCommand(ui),
      pruneSystemCommand(),
      cleanUpCommand(),
      cleanUpBuildCacheCommand(),
    ],
  },
];
