import type { Commands } from '../frame/command.ts';
import type { Ui } from '../ui/ui.ts';
import { logsCommand } from './logsCommand.ts';
import { openLogViewerCommand } from './openLogViewerCommand.ts';
import type { ViewerTabs } from '../ui/editorPorts.ts';

/** The commands on logs. */
export const logsGroup = (ui: Ui, tabs: () => Promise<ViewerTabs>): readonly Commands[] => [
  { targets: [logsCommand(ui)], plain: [openLogViewerCommand()] },
  viewerTabCommands(tabs),
];

/** The commands of the log viewer's keybindings and context menu. They work on the active tab only. */
function viewerTabCommands(tabs: () => Promise<ViewerTabs>): Commands {
  const ask = (what: Parameters<ViewerTabs['ask']>[0]) => async () => {
    (await tabs()).ask(what);
  };
  return {
    simple: {
      'gantry.logViewer.find': ask('find'),
      'gantry.logViewer.copy': ask('copy'),
      'gantry.logViewer.copyWithColors': ask('copyWithColors'),
    },
  };
}
