import type { Command } from '../frame/command.ts';
import type { CommandDependencies } from '../frame/commandDependencies.ts';
import { composeServiceCommand } from './composeServiceCommand.ts';
import { createFromRecipeCommand } from './createFromRecipeCommand.ts';
import { copyRunCommand, saveRecipeCommand } from './saveRecipeCommand.ts';

/** The commands that write down how a container was created, and create one from that. */
export const commands = ({ ui }: CommandDependencies): readonly Command[] => [
  saveRecipeCommand(),
  copyRunCommand(ui),
  composeServiceCommand(),
  createFromRecipeCommand(),
];
