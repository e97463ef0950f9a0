import { asRecord, asText } from '../../engine/wire/wire.ts';
import { editorCommands, type Command, type EditorCommand } from '../frame/command.ts';
import type { CommandDependencies } from '../frame/commandDependencies.ts';
import { containerDetailsCommand } from './containerDetailsCommand.ts';
import { explainExitCommand } from './explainExitCommand.ts';
import { openRowCommand } from './openRowCommand.ts';
import { showDetailsCommands } from './showDetailsCommands.ts';

/** The commands on the details of containers, images, volumes and networks. */
export const commands = (parts: CommandDependencies): readonly Command[] => [
  ...showDetailsCommands(),
  containerDetailsCommand(),
  explainExitCommand(),
  openRowCommand(parts),
  ...editorCommands({ 'gantry.details.copyValue': copyValue(parts) }),
];

/** Returns what the menu of a value in the page does. VS Code passes the context of the value. */
function copyValue({ choice }: Pick<CommandDependencies, 'choice'>): EditorCommand['run'] {
  return (first) => {
    const { engine, key } = asRecord(first);
    return choice.ofEngine(asText(engine))?.copyDetail(asText(key));
  };
}
