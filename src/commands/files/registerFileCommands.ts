import * as vscode from 'vscode';
import type { FilesView } from '../../files/filesView.ts';
import { isCancellation, type Disposable } from '../../lifetime.ts';
import type { EngineChoice } from '../engines/engineChoice.ts';
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
import { showError } from '../notifications.ts';
import type { CommandRegistry } from '../commandRegistry.ts';
import { failureMessage } from '../errorMessages.ts';

/** Registers the commands on files, and what happens when files are dropped on their view. */
export function registerFileCommands(
  registry: CommandRegistry,
  choice: EngineChoice,
  view: FilesView,
): Disposable {
  registry.plain(browseCommand);
  registry.plain(openFileCommand);
  registry.plain(findFileCommand);
  registry.plain(downloadCommand);
  registry.plain(uploadCommand);
  registry.plain(compareFileCommand);
  registry.plain(copyPathCommand);
  registry.plain(refreshFilesCommand);
  registry.plain(closeFilesCommand);
  return view.onDidDrop(({ node, uris }) => {
    const context = choice.ofEngine(node.engine);
    if (!context) return;
    const from = uris.map(({ fsPath }) => fsPath);
    const where = { root: node.root, path: node.folder };
    uploadInteractively(context, from, where).catch((error: unknown) => {
      if (isCancellation(error)) return;
      showError(failureMessage(uploadCommand.failureTitle, error, vscode.l10n));
    });
  });
}
