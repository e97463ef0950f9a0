import type { Commands } from '../frame/command.ts';
import type { Ui } from '../ui/ui.ts';
import { logsCommand } from './logsCommand.ts';
import { openLogViewerCommand } from './openLogViewerCommand.ts';
import { viewerTabCommands } from './viewerTabCommands.ts';
import { type ViewerTabs } from '../ui/composeRunner.ts';

/** The commands on logs. */
export const logsGroup = (ui: Ui, tabs: () => Promise<ViewerTabs>): readonly Commands[] => [
  { targets: [logsCommand(ui)], plain: [openLogViewerCommand()] },
  viewerTabCommands(tabs),
];
