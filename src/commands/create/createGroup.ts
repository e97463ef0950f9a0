import type { Commands } from '../frame/command.ts';
import { createCommand, duplicateCommand, runAgainCommand } from './createCommand.ts';

/** The commands that create containers. */
export const createGroup = (): readonly Commands[] => [
  { plain: [createCommand(), runAgainCommand(), duplicateCommand()] },
];
