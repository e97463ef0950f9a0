import type { CommandRegistry } from '../commandRegistry.ts';

/** Registers the commands of the log viewer's keys and context menu: they are for the tab in front alone. */
export function registerViewerTabCommands(registry: CommandRegistry, tabs: ViewerTabs): void {
  registry.simple('gantry.logViewer.find', () => {
    tabs.ask('find');
  });
  registry.simple('gantry.logViewer.copy', () => {
    tabs.ask('copy');
  });
  registry.simple('gantry.logViewer.copyWithColors', () => {
    tabs.ask('copyWithColors');
  });
}

/** The log viewers of this window, as commands reach them. */
export interface ViewerTabs {
  /** Has the viewer that is in front do something; nothing where none is. */
  ask(what: 'find' | 'copy' | 'copyWithColors'): void;
}
