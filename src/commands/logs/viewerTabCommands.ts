import type { Commands } from '../frame/command.ts';
import type { ViewerTabs } from '../ui/composeRunner.ts';

/** The commands of the log viewer's keybindings and context menu. They work on the active tab only. */
export function viewerTabCommands(tabs: () => Promise<ViewerTabs>): Commands {
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
