import type { ErrorDetails } from './notifications.ts';
import type { Engines } from '../engines/engines.ts';
import type { FilesView } from '../files/filesView.ts';
import { DisposableStore, type Disposable } from '../lifetime.ts';
import { addEngineCommand, chooseEngineCommand } from './engines/addEngineCommand.ts';
import { openInBrowserCommand } from './containers/openInBrowserCommand.ts';
import { clipboardCommands } from './containers/clipboardCommands.ts';
import { duplicateCommand, runAgainCommand } from './create/recreateCommands.ts';
import { registerLifecycleCommands } from './containers/lifecycleCommands.ts';
import { commitCommand } from './commit/commitCommand.ts';
import { logsCommand } from './logs/logsCommand.ts';
import { createCommand } from './create/createCommand.ts';
import { diagnoseCommand } from './engines/diagnoseCommand.ts';
import { Documents } from './documents.ts';
import type { EngineChoice } from './engines/engineChoice.ts';
import { registerEngineCommands } from './engines/registerEngineCommands.ts';
import { registerFileCommands } from './files/registerFileCommands.ts';
import type { EngineFactory } from '../engines/engineFactory.ts';
import { diskUseCommand } from './engines/diskUseCommand.ts';
import { imageHistoryCommand } from './images/imageHistoryCommand.ts';
import { tagCommand } from './images/tagCommand.ts';
import { registerImageViewCommands, type ImageFilter } from './images/registerImageViewCommands.ts';
import { importImageCommand, loadImagesCommand } from './images/loadImagesCommand.ts';
import { pruneImagesCommand } from './images/pruneImagesCommand.ts';
import { removeImageCommand } from './images/removeImageCommand.ts';
import { saveImagesCommand } from './images/saveImagesCommand.ts';
import { inspectContainerCommand, inspectImageCommand } from './containers/inspectCommands.ts';
import { listContainersCommand, listImagesCommand } from './listCommands.ts';
import { checkNewerCommand } from './images/checkNewerCommand.ts';
import { pullAgainCommand, pullCommand } from './registries/pullCommand.ts';
import { pushCommand } from './registries/pushCommand.ts';
import { transferCommands } from './registries/transferCommands.ts';
import { openLogViewerCommand } from './logs/openLogViewerCommand.ts';
import type { ReviewController } from '../review/reviewController.ts';
import type { PreferredEngine } from './engines/preferredEngine.ts';
import { createFromRecipeCommand } from './recipes/createFromRecipeCommand.ts';
import { CommandRegistry, type SelectedNodes } from './commandRegistry.ts';
import { registerReviewCommands } from './commit/registerReviewCommands.ts';
import { reviewChangesCommand } from './commit/reviewChangesCommand.ts';
import { reviewContentsCommand } from './commit/reviewContentsCommand.ts';
import { signInCommand, signOutCommand } from './registries/signInCommands.ts';
import { copyRunCommand, saveRecipeCommand } from './recipes/saveRecipeCommand.ts';
import { attachCommand, openShellCommand } from './containers/terminalCommands.ts';
import { registerViewCommands } from './registerViewCommands.ts';
import { registerViewerTabCommands, type ViewerTabs } from './logs/registerViewerTabCommands.ts';
import { waitCommand } from './containers/waitCommand.ts';

/** Registers every command of the manifest. */
export function registerCommands({
  choice,
  selection,
  engines,
  preferred,
  showDetails,
  maker,
  imageView,
  filesView,
  reviews,
  tabs,
}: CommandDependencies): Disposable {
  const store = new DisposableStore();
  const registry = store.add(new CommandRegistry(choice, selection, { showDetails }));
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
  registerLifecycleCommands(registry);
  registry.target(waitCommand);
  registry.target(logsCommand);
  registry.plain(openLogViewerCommand);
  registry.target(openShellCommand);
  registry.target(attachCommand);
  store.add(registerFileCommands(registry, choice, filesView));
  registry.target(commitCommand(reviews));
  registry.target(reviewChangesCommand(reviews));
  registry.target(reviewContentsCommand(reviews));
  registerReviewCommands(registry, reviews, choice, { showDetails });
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
  registerViewCommands(registry, engines, showDetails);
  registerImageViewCommands(registry, imageView);
  registerViewerTabCommands(registry, tabs);
  return store;
}

/** What the commands stand on. */
export interface CommandDependencies {
  readonly choice: EngineChoice;
  readonly selection: SelectedNodes;
  readonly engines: Engines;
  readonly preferred: PreferredEngine;
  readonly showDetails: ErrorDetails['showDetails'];
  readonly maker: EngineFactory;
  readonly imageView: ImageFilter;
  readonly filesView: FilesView;
  readonly reviews: ReviewController;
  readonly tabs: ViewerTabs;
}
