import type { Command } from '../frame/command.ts';
import type { CommandDependencies } from '../frame/commandDependencies.ts';
import { upChangesCommands } from './upChangesCommands.ts';

/** The commands that show what Up would change before it does. */
export const commands = (parts: CommandDependencies): readonly Command[] =>
  upChangesCommands(parts);
