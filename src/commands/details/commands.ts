import type { Command } from '../frame/command.ts';
import type { CommandDependencies } from '../frame/commandDependencies.ts';
import { containerDetailsCommand } from './containerDetailsCommand.ts';
import { openRowCommand } from './openRowCommand.ts';
import { showDetailsCommands } from './showDetailsCommands.ts';

/** The commands on the details of containers, images, volumes and networks. */
export const commands = (parts: CommandDependencies): readonly Command[] => [
  ...showDetailsCommands(),
  containerDetailsCommand(),
  openRowCommand(parts),
];
