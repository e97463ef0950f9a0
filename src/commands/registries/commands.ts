import type { Command } from '../frame/command.ts';
import { checkNewerCommand } from './checkNewerCommand.ts';
import type { CommandDependencies } from '../frame/commandDependencies.ts';
import { pullAgainCommand, pullCommand } from './pullCommand.ts';
import { pushCommand } from './pushCommand.ts';
import { signInCommand, signOutCommand } from './signInCommands.ts';
import { transferCommands } from './transferCommands.ts';

/** The commands that talk to registries. */
export const commands = ({ ui }: CommandDependencies): readonly Command[] => [
  pullCommand(),
  pullAgainCommand(),
  pushCommand(),
  checkNewerCommand(),
  signInCommand(ui),
  signOutCommand(ui),
  ...transferCommands(),
];
