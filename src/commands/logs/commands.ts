import { editorCommands, type Command } from '../frame/command.ts';
import type { CommandDependencies } from '../frame/commandDependencies.ts';
import { logsCommand } from './logsCommand.ts';
import { openLogViewerCommand } from './openLogViewerCommand.ts';
import type { Ui } from '../ui/ui.ts';

/** The commands on logs. */
export const commands = ({ ui }: CommandDependencies): readonly Command[] => [
  logsCommand(ui),
  openLogViewerCommand(),
  ...viewerTabCommands(ui),
];

/** The commands of the log viewer's keybindings and context menu. They work on the active tab only. */
function viewerTabCommands(ui: Ui): readonly Command[] {
  const ask = (what: Parameters<Ui['askLogViewer']>[0]) => () => ui.askLogViewer(what);
  return editorCommands({
    'gantry.logViewer.find': ask('find'),
    'gantry.logViewer.copy': ask('copy'),
    'gantry.logViewer.copyWithColors': ask('copyWithColors'),
  });
}
