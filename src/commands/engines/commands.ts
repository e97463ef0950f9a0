import { WorkQueue } from '../../base/time.ts';
import type { Command } from '../frame/command.ts';
import type { CommandDependencies } from '../frame/commandDependencies.ts';
import { viewCommands } from './viewCommands.ts';
import { addEngineCommand, chooseEngineCommand } from './addEngineCommand.ts';
import { diagnoseCommand } from './diagnoseCommand.ts';
import { engineCommands } from './engineCommands.ts';

/** The commands on engines, and those that ask all engines again. */
export function commands(parts: CommandDependencies): readonly Command[] {
  const { ui, engines, maker, preferred, choice } = parts;
  const writes = new WorkQueue();
  return [
    ...engineCommands(ui, engines, {
      preferred,
      writes,
      sessionsOf: async ({ id }) => (await choice.ofEngine(id)?.terminals())?.sessions ?? [],
    }),
    ...viewCommands(parts, engines),
    addEngineCommand(ui, engines, maker, writes),
    chooseEngineCommand(ui, engines, maker),
    diagnoseCommand(ui, parts),
  ];
}
