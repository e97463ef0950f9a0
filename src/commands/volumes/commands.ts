import type { Command } from '../frame/command.ts';
import type { CommandDependencies } from '../frame/commandDependencies.ts';
import { copyVolumeNameCommand } from '../containers/clipboardCommands.ts';
import { cloneVolumeCommand } from './cloneVolumeCommand.ts';
import { createVolumeCommand } from './createVolumeCommand.ts';
import { emptyVolumeCommand } from './emptyVolumeCommand.ts';
import { exportVolumeCommand } from './exportVolumeCommand.ts';
import { importVolumeCommand } from './importVolumeCommand.ts';
import { inspectVolumeCommand } from './inspectVolumeCommand.ts';
import { listVolumesCommand } from './listVolumesCommand.ts';
import { removeVolumeCommand } from './removeVolumeCommand.ts';
import { showSizesCommand } from './showSizesCommand.ts';

/** The commands on volumes. */
export const commands = ({ ui }: CommandDependencies): readonly Command[] => [
  inspectVolumeCommand(),
  copyVolumeNameCommand(ui),
  removeVolumeCommand(ui),
  listVolumesCommand(),
  createVolumeCommand(ui),
  exportVolumeCommand(ui),
  importVolumeCommand(),
  cloneVolumeCommand(),
  emptyVolumeCommand(ui),
  showSizesCommand(ui),
];
