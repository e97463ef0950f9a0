import type { Commands } from '../command.ts';

/** The commands of the log viewer's keybindings and context menu. They work on the active tab only. */
export const viewerTabCommands = (tabs: ViewerTabs): Commands => ({
  simple: {
    'gantry.logViewer.find': () => {
      tabs.ask('find');
    },
    'gantry.logViewer.copy': () => {
      tabs.ask('copy');
    },
    'gantry.logViewer.copyWithColors': () => {
      tabs.ask('copyWithColors');
    },
  },
});

/** The log viewers of the window. */
export interface ViewerTabs {
  /** Sends a request to the active viewer. Does nothing if there is none. */
  ask(what: 'find' | 'copy' | 'copyWithColors'): void;
}
