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
} from './fileBrowse.ts';
import { compareCommand } from './fileCompare.ts';
import { downloadCommand } from './fileDownload.ts';
import { findFileCommand } from './fileFind.ts';
import { uploadCommand, uploadForPerson } from './fileUpload.ts';
import { showError } from '../person.ts';
import type { CommandRegistry } from '../registry.ts';
import { describeFailure } from '../sentences.ts';

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
  registry.plain(compareCommand);
  registry.plain(copyPathCommand);
  registry.plain(refreshFilesCommand);
  registry.plain(closeFilesCommand);
  return view.onDidDrop(({ node, uris }) => {
    const context = choice.ofNode(node);
    if (!context) return;
    const from = uris.map(({ fsPath }) => fsPath);
    const where = { place: node.place, path: node.folder };
    uploadForPerson(context, from, where).catch((error: unknown) => {
      if (isCancellation(error)) return;
      showError(describeFailure(uploadCommand.failing, error, vscode.l10n));
    });
  });
}
