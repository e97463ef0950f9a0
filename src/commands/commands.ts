import type * as vscode from 'vscode';
import type { Engines } from '../engines/engines.ts';
import type { FilesView } from '../files/filesView.ts';
import { DisposableStore, type Disposable } from '../lifetime.ts';
import { addEngineCommand, chooseEngineCommand } from './engines/addEngine.ts';
import { openInBrowserCommand } from './containers/browserCommand.ts';
import { clipboardCommands } from './containers/clipboardCommands.ts';
import { duplicateCommand, runAgainCommand } from './create/againCommands.ts';
import { registerContainerVerbs } from './containers/containerCommands.ts';
import { commitCommand } from './commit/commitCommand.ts';
import { logsCommand } from './logs/containerStreams.ts';
import { createCommand } from './create/createCommand.ts';
import { diagnoseCommand } from './engines/diagnoseCommand.ts';
import { Documents } from './documents.ts';
import type { EngineChoice } from './engines/engineChoice.ts';
import { registerEngineCommands } from './engines/engineCommands.ts';
import { registerFileCommands } from './files/fileCommands.ts';
import type { EngineMaker } from '../engines/engineMaker.ts';
import { diskUseCommand } from './engines/diskUseCommand.ts';
import { imageHistoryCommand } from './images/historyCommand.ts';
import { tagCommand } from './images/imageCommands.ts';
import { registerImageViewCommands, type ImageFilter } from './images/imageViewCommands.ts';
import { importImageCommand, loadImagesCommand } from './images/loadImages.ts';
import { pruneImagesCommand } from './images/pruneImages.ts';
import { removeImageCommand } from './images/removeImage.ts';
import { saveImagesCommand } from './images/saveImages.ts';
import { inspectContainerCommand, inspectImageCommand } from './containers/inspectCommands.ts';
import { listContainersCommand, listImagesCommand } from './listCommands.ts';
import { checkNewerCommand } from './images/newerCommand.ts';
import { pullAgainCommand, pullCommand } from './registries/pullCommand.ts';
import { pushCommand } from './registries/pushCommand.ts';
import { transferCommands } from './registries/transferCommands.ts';
import { openLogViewerCommand } from './logs/logViewerCommand.ts';
import type { ReviewDesk } from '../review/reviewDesk.ts';
import type { PreferredEngine } from './engines/preferredEngine.ts';
import { createFromRecipeCommand } from './recipes/recipeCommands.ts';
import { CommandRegistry, type Selection } from './registry.ts';
import { registerChangesCommands, reviewChangesCommand } from './commit/reviewCommands.ts';
import { reviewContentsCommand } from './commit/reviewContents.ts';
import { signInCommand, signOutCommand } from './registries/registryCommands.ts';
import { copyRunCommand, saveRecipeCommand } from './recipes/saveRecipeCommand.ts';
import { attachCommand, openShellCommand } from './containers/terminalCommands.ts';
import { registerViewCommands } from './viewCommands.ts';
import { registerViewerTabCommands, type ViewerTabs } from './logs/viewerTabCommands.ts';
import { waitCommand } from './containers/waitCommand.ts';

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
