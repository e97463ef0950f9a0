import type { Commands } from '../frame/command.ts';
import { checkNewerCommand } from './checkNewerCommand.ts';
import type { Ui } from '../ui/ui.ts';
import { pullAgainCommand, pullCommand } from './pullCommand.ts';
import { pushCommand } from './pushCommand.ts';
import { signInCommand, signOutCommand } from './signInCommands.ts';
import { transferCommands } from './transferCommands.ts';

/** The commands that talk to registries. */
export const registriesGroup = (ui: Ui): readonly Commands[] => [
  {
    targets: [pullAgainCommand(), pushCommand(), checkNewerCommand()],
    plain: [pullCommand(), signInCommand(ui), signOutCommand(ui), ...transferCommands()],
  },
];
