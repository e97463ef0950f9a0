import type { FilesView } from '../../files/filesView.ts';
import { isCancellation, type Disposable } from '../../base/lifetime.ts';
import type { EngineChoice } from '../frame/engineChoice.ts';
import {
  browseCommand,
  closeFilesCommand,
  copyPathCommand,
  openFileCommand,
  refreshFilesCommand,
} from './browseCommands.ts';
import { compareFileCommand } from './compareFileCommand.ts';
import { downloadCommand } from './downloadCommand.ts';
import { findFileCommand } from './findFileCommand.ts';
import { uploadCommand, uploadInteractively } from './uploadCommand.ts';
import type { Commands } from '../frame/command.ts';
import { failureMessage } from '../ui/errorMessage.ts';
import type { Ui } from '../ui/ui.ts';

/** The commands on files. */
export const fileCommands = (ui: Ui): Commands => ({
  plain: [
    browseCommand(),
    openFileCommand(),
    findFileCommand(ui),
    downloadCommand(ui),
    uploadCommand(ui),
    compareFileCommand(ui),
    copyPathCommand(ui),
    refreshFilesCommand(),
    closeFilesCommand(),
  ],
});

/** Uploads files that are dropped on the Files view. */
export function uploadDropped(ui: Ui, choice: EngineChoice, view: FilesView): Disposable {
  return view.onDidDrop(({ node, uris }) => {
    const context = choice.ofEngine(node.engine);
    if (!context) return;
    const from = uris.map(({ fsPath }) => fsPath);
    const where = { root: node.root, path: node.folder };
    uploadInteractively(context, from, where).catch((error: unknown) => {
      if (isCancellation(error)) return;
      ui.error(failureMessage(uploadCommand(ui).failureTitle, error));
    });
  });
}
