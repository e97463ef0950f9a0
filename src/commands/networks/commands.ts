import type { Command } from '../frame/command.ts';
import type { CommandDependencies } from '../frame/commandDependencies.ts';
import { copyNetworkNameCommand } from '../containers/clipboardCommands.ts';
import { connectCommand, disconnectCommand } from './connectCommands.ts';
import { copyAddressCommand } from './copyAddressCommand.ts';
import { createNetworkCommand } from './createNetworkCommand.ts';
import { inspectNetworkCommand, listNetworksCommand } from './networkCommands.ts';
import { removeNetworkCommand } from './removeNetworkCommand.ts';
import { reachCommand } from './reachCommand.ts';

/** The commands on networks. */
export const commands = ({ ui }: CommandDependencies): readonly Command[] => [
  inspectNetworkCommand(),
  removeNetworkCommand(ui),
  copyNetworkNameCommand(ui),
  listNetworksCommand(),
  createNetworkCommand(),
  connectCommand(),
  disconnectCommand(),
  copyAddressCommand(ui),
  reachCommand(),
];
