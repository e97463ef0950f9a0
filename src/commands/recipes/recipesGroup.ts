import type { Commands } from '../frame/command.ts';
import type { Ui } from '../ui/ui.ts';
import { createFromRecipeCommand } from './createFromRecipeCommand.ts';
import { copyRunCommand, saveRecipeCommand } from './saveRecipeCommand.ts';

/** The commands that write down how a container was created, and create one from that. */
export const recipesGroup = (ui: Ui): readonly Commands[] => [
  { targets: [saveRecipeCommand(), copyRunCommand(ui)], plain: [createFromRecipeCommand()] },
];
