import type * as vscode from 'vscode';
import type { Engines } from '../engines/engines.ts';
import type { FilesView } from '../files/filesView.ts';
import { DisposableStore, type Disposable } from '../lifetime.ts';
import { addEngineCommand, chooseEngineCommand } from './addEngine.ts';
import { openInBrowserCommand } from './browserCommand.ts';
import { clipboardCommands } from './clipboardCommands.ts';
import { duplicateCommand, runAgainCommand } from './againCommands.ts';
import { registerContainerVerbs } from './containerCommands.ts';
import { commitCommand } from './commitCommand.ts';
import { logsCommand } from './containerStreams.ts';
import { createCommand } from './createCommand.ts';
import { diagnoseCommand } from './diagnoseCommand.ts';
import { Documents } from './documents.ts';
import type { EngineChoice } from './engineChoice.ts';
import { registerEngineCommands } from './engineCommands.ts';
import { registerFileCommands } from './fileCommands.ts';
import type { EngineMaker } from '../engines/engineMaker.ts';
import { diskUseCommand } from './diskUseCommand.ts';
import { imageHistoryCommand } from './historyCommand.ts';
import { tagCommand } from './imageCommands.ts';
import { registerImageViewCommands, type ImageFilter } from './imageViewCommands.ts';
import { importImageCommand, loadImagesCommand } from './loadImages.ts';
import { pruneImagesCommand } from './pruneImages.ts';
import { removeImageCommand } from './removeImage.ts';
import { saveImagesCommand } from './saveImages.ts';
import { inspectContainerCommand, inspectImageCommand } from './inspectCommands.ts';
import { listContainersCommand, listImagesCommand } from './listCommands.ts';
import { checkNewerCommand } from './newerCommand.ts';
import { pullAgainCommand, pullCommand } from './pullCommand.ts';
import { pushCommand } from './pushCommand.ts';
import { transferCommands } from './transferCommands.ts';
import { openLogViewerCommand } from './logViewerCommand.ts';
import type { ReviewDesk } from '../review/reviewDesk.ts';
import type { PreferredEngine } from './preferredEngine.ts';
import { createFromRecipeCommand } from './recipeCommands.ts';
import { CommandRegistry, type Selection } from './registry.ts';
import { registerChangesCommands, reviewChangesCommand } from './reviewCommands.ts';
import { reviewContentsCommand } from './reviewContents.ts';
import { signInCommand, signOutCommand } from './registryCommands.ts';
import { copyRunCommand, saveRecipeCommand } from './saveRecipeCommand.ts';
import { attachCommand, openShellCommand } from './terminalCommands.ts';
import { registerViewCommands } from './viewCommands.ts';
import { registerViewerTabCommands, type ViewerTabs } from './viewerTabCommands.ts';
import { waitCommand } from './waitCommand.ts';

/** What the commands stand on. */
export interface CommandParts {
  readonly choice: EngineChoice;
  readonly selection: Selection;
  readonly engines: Engines;
  readonly preferred: PreferredEngine;
  readonly log: vscode.LogOutputChannel;
  readonly maker: EngineMaker;
  readonly imageView: ImageFilter;
  readonly filesView: FilesView;
  readonly reviews: ReviewDesk;
  readonly tabs: ViewerTabs;
}

/** Registers every command of the manifest. */
export function registerCommands({
  choice,
  selection,
  engines,
  preferred,
  log,
  maker,
  imageView,
  filesView,
  reviews,
  tabs,
}: CommandParts): Disposable {
  const store = new DisposableStore();
  const registry = store.add(new CommandRegistry(choice, selection));
  const documents = store.add(new Documents());
  registry.plain(createCommand);
  registry.plain(runAgainCommand);
  registry.plain(duplicateCommand);
  registry.plain(createFromRecipeCommand);
  registry.target(saveRecipeCommand);
  registry.target(copyRunCommand);
  registry.plain(listContainersCommand);
  registry.plain(listImagesCommand);
  registry.plain(pullCommand);
  registry.plain(signInCommand);
  registry.plain(signOutCommand);
  registry.target(pullAgainCommand);
  registry.target(pushCommand);
  registry.target(checkNewerCommand);
  for (const command of transferCommands) registry.plain(command);
  registerContainerVerbs(registry);
  registry.target(waitCommand);
  registry.target(logsCommand);
  registry.plain(openLogViewerCommand);
  registry.target(openShellCommand);
  registry.target(attachCommand);
  store.add(registerFileCommands(registry, choice, filesView));
  registry.target(commitCommand(reviews));
  registry.target(reviewChangesCommand(reviews));
  registry.target(reviewContentsCommand(reviews));
  registerChangesCommands(registry, reviews, engines);
  registry.target(openInBrowserCommand);
  registry.target(inspectContainerCommand(documents));
  registry.target(inspectImageCommand(documents));
  registry.target(tagCommand);
  registry.target(removeImageCommand);
  registry.target(imageHistoryCommand(documents));
  registry.plain(saveImagesCommand);
  registry.plain(loadImagesCommand);
  registry.plain(importImageCommand);
  registry.plain(pruneImagesCommand);
  registry.plain(diskUseCommand);
  for (const command of clipboardCommands) registry.target(command);
  registerEngineCommands(registry, engines, preferred);
  registry.window(addEngineCommand(engines, maker));
  registry.window(chooseEngineCommand(engines, maker));
  registry.window(diagnoseCommand({ engines, maker, documents, choice }));
  registerViewCommands(registry, engines, log);
  registerImageViewCommands(registry, imageView);
  registerViewerTabCommands(registry, tabs);
  return store;
}
