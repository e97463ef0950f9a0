import type { Commands } from '../frame/command.ts';
import { createFromRecipeCommand } from '../recipes/createFromRecipeCommand.ts';
import { copyRunCommand, saveRecipeCommand } from '../recipes/saveRecipeCommand.ts';
import type { Ui } from '../ui/ui.ts';
import { createCommand, duplicateCommand, runAgainCommand } from './createCommand.ts';

/** The commands that create containers, and that write down how a container was created. */
export const createGroup = (ui: Ui): readonly Commands[] => [
  {
    targets: [saveRecipeCommand(), copyRunCommand(ui)],
    plain: [createCommand(), runAgainCommand(), duplicateCommand(), createFromRecipeCommand()],
  },
];
