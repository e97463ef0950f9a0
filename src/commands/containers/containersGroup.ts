import type { Commands } from '../frame/command.ts';
import type { CommandDependencies } from '../frame/commandDependencies.ts';
import { listCommands } from './listCommands.ts';
import { clipboardCommands } from './clipboardCommands.ts';
import { inspectCommands } from './inspectCommands.ts';
import { lifecycleCommands } from './lifecycleCommands.ts';
import { openInBrowserCommand } from './openInBrowserCommand.ts';
import { pruneContainersCommand } from './pruneContainersCommand.ts';
import { attachCommand, openShellCommand } from './terminalCommands.ts';
import { waitCommand } from './waitCommand.ts';

/** The commands on containers, and those that containers and images have in common. */
export const containersGroup = ({ ui, documents }: CommandDependencies): readonly Commands[] => [
  lifecycleCommands(ui),
  {
    targets: [
      waitCommand(),
      openShellCommand(),
      attachCommand(),
      openInBrowserCommand(ui),
      ...inspectCommands(documents),
      ...clipboardCommands(ui),
    ],
    plain: [...listCommands(), pruneContainersCommand()],
    simple: {
      'gantry.containers.hideStopped': () => ui.settings.setHideStopped(true),
      'gantry.containers.showStopped': () => ui.settings.setHideStopped(false),
    },
  },
];
