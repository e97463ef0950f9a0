import { editorCommands, type Command } from '../frame/command.ts';
import type { CommandDependencies } from '../frame/commandDependencies.ts';
import { logsCommand } from './logsCommand.ts';
import { openLogViewerCommand } from './openLogViewerCommand.ts';
import type { ViewerTabs } from '../ui/editorPorts.ts';

/** The commands on logs. */
export const commands = ({ ui, tabs }: CommandDependencies): readonly Command[] => [
  logsCommand(ui),
  openLogViewerCommand(),
  ...viewerTabCommands(tabs),
];

/** The commands of the log viewer's keybindings and context menu. They work on the active tab only. */
function viewerTabCommands(tabs: () => Promise<ViewerTabs>): readonly Command[] {
  const ask = (what: Parameters<ViewerTabs['ask']>[0]) => async () => {
    (await tabs()).ask(what);
  };
  return editorCommands({
    'gantry.logViewer.find': ask('find'),
    'gantry.logViewer.copy': ask('copy'),
    'gantry.logViewer.copyWithColors': ask('copyWithColors'),
  });
}
