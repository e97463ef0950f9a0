import { WorkQueue } from '../../base/time.ts';
import type { Commands } from '../frame/command.ts';
import type { CommandDependencies } from '../frame/commandDependencies.ts';
import { viewCommands } from './viewCommands.ts';
import { addEngineCommand, chooseEngineCommand } from './addEngineCommand.ts';
import { diagnoseCommand } from './diagnoseCommand.ts';
import { engineCommands } from './engineCommands.ts';

/** The commands on engines, and those that ask all engines again. */
export function enginesGroup(parts: CommandDependencies): readonly Commands[] {
  const { ui, engines, maker, preferred, choice } = parts;
  const writes = new WorkQueue();
  return [
    engineCommands(ui, engines, {
      ...{ preferred, writes },
      sessionsOf: async ({ id }) => (await choice.ofEngine(id)?.terminals())?.sessions ?? [],
    }),
    viewCommands(parts, engines),
    {
      window: [
        addEngineCommand(ui, engines, maker, writes),
        chooseEngineCommand(ui, engines, maker),
        diagnoseCommand(ui, parts),
      ],
    },
  ];
}
