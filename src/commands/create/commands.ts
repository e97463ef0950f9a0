import type { Command } from '../frame/command.ts';
import { createCommand, duplicateCommand, runAgainCommand } from './createCommand.ts';

/** The commands that create containers. */
export const commands = (): readonly Command[] => [
  createCommand(),
  runAgainCommand(),
  duplicateCommand(),
];
