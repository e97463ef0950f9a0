import type { ErrorDetails } from './withErrorMessage.ts';
import type { Engines } from '../engines/engines.ts';
import type { FilesView } from '../files/filesView.ts';
import { DisposableStore, type Disposable } from '../lifetime.ts';
import { addEngineCommand, chooseEngineCommand } from './engines/addEngineCommand.ts';
import { openInBrowserCommand } from './containers/openInBrowserCommand.ts';
import { clipboardCommands } from './containers/clipboardCommands.ts';
import { lifecycleCommands } from './containers/lifecycleCommands.ts';
import { commitCommand } from './commit/commitCommand.ts';
import { logsCommand } from './logs/logsCommand.ts';
import { createCommand, duplicateCommand, runAgainCommand } from './create/createCommand.ts';
import { diagnoseCommand } from './engines/diagnoseCommand.ts';
import { Documents } from './documents.ts';
import type { EngineChoice } from './engines/engineChoice.ts';
import { engineCommands } from './engines/engineCommands.ts';
import { fileCommands, uploadDropped } from './files/fileCommands.ts';
import type { EngineFactory } from '../engines/engineUnit.ts';
import { diskUseCommand } from './engines/diskUseCommand.ts';
import { imageHistoryCommand } from './images/imageHistoryCommand.ts';
import { tagCommand } from './images/tagCommand.ts';
import { imageViewCommands, type ImageFilter } from './images/imageViewCommands.ts';
import { importImageCommand, loadImagesCommand } from './images/loadImagesCommand.ts';
import { pruneImagesCommand } from './images/pruneImagesCommand.ts';
import { removeImageCommand } from './images/removeImageCommand.ts';
import { saveImagesCommand } from './images/saveImagesCommand.ts';
import { inspectCommands } from './containers/inspectCommands.ts';
import { listCommands } from './listCommands.ts';
import { checkNewerCommand } from './images/checkNewerCommand.ts';
import { pullAgainCommand, pullCommand } from './registries/pullCommand.ts';
import { pushCommand } from './registries/pushCommand.ts';
import { transferCommands } from './registries/transferCommands.ts';
import { openLogViewerCommand } from './logs/openLogViewerCommand.ts';
import type { ReviewController } from '../review/reviewController.ts';
import type { PreferredEngine } from './engines/preferredEngine.ts';
import { createFromRecipeCommand } from './recipes/createFromRecipeCommand.ts';
import type { Commands } from './command.ts';
import { CommandRegistry, type SelectedNodes } from './commandRegistry.ts';
import { reviewCommands } from './commit/reviewCommands.ts';
import { reviewChangesCommand, reviewContentsCommand } from './commit/reviewChangesCommand.ts';
import { signInCommand, signOutCommand } from './registries/signInCommands.ts';
import { copyRunCommand, saveRecipeCommand } from './recipes/saveRecipeCommand.ts';
import { attachCommand, openShellCommand } from './containers/terminalCommands.ts';
import { viewCommands } from './viewCommands.ts';
import { viewerTabCommands, type ViewerTabs } from './logs/viewerTabCommands.ts';
import { waitCommand } from './containers/waitCommand.ts';

/** Registers every command of the manifest. */
export function registerCommands(parts: CommandDependencies): Disposable {
  const { ui, choice, selection, filesView } = parts;
  const store = new DisposableStore();
  const registry = store.add(new CommandRegistry(choice, selection, parts));
  const documents = store.add(new Documents());
  for (const commands of allCommands(parts, registry, documents)) registry.register(commands);
  store.add(uploadDropped(ui, choice, filesView));
  return store;
}

function allCommands(
  parts: CommandDependencies,
  registry: CommandRegistry,
  documents: Documents,
): readonly Commands[] {
  const { ui, choice, engines, preferred, maker, reviews } = parts;
  const { l10n } = ui;
  return [
    {
      targets: [
        saveRecipeCommand(ui),
        copyRunCommand(ui),
        pullAgainCommand(ui),
        pushCommand(ui),
        checkNewerCommand(ui),
        waitCommand(ui),
        logsCommand(ui),
        openShellCommand(ui),
        attachCommand(ui),
        commitCommand(ui, reviews),
        reviewChangesCommand(reviews, l10n),
        reviewContentsCommand(reviews, l10n),
        openInBrowserCommand(ui),
        ...inspectCommands(documents, l10n),
        tagCommand(ui),
        removeImageCommand(ui),
        imageHistoryCommand(documents, l10n),
        ...clipboardCommands(ui),
      ],
      plain: [
        createCommand(ui),
        runAgainCommand(ui),
        duplicateCommand(ui),
        createFromRecipeCommand(ui),
        ...listCommands(ui),
        pullCommand(ui),
        signInCommand(ui),
        signOutCommand(ui),
        ...transferCommands(ui),
        openLogViewerCommand(ui),
        saveImagesCommand(ui),
        loadImagesCommand(ui),
        importImageCommand(ui),
        pruneImagesCommand(ui),
        diskUseCommand(ui),
      ],
      window: [
        addEngineCommand(ui, engines, maker),
        chooseEngineCommand(ui, engines, maker),
        diagnoseCommand(ui, { engines, maker, documents, choice }),
      ],
    },
    lifecycleCommands(ui),
    fileCommands(ui),
    reviewCommands(parts, registry, reviews, choice),
    engineCommands(ui, engines, preferred),
    viewCommands(parts, engines),
    imageViewCommands(ui, parts.imageView),
    viewerTabCommands(parts.tabs),
  ];
}

/** The dependencies of the commands. */
export interface CommandDependencies extends ErrorDetails {
  readonly choice: EngineChoice;
  readonly selection: SelectedNodes;
  readonly engines: Engines;
  readonly preferred: PreferredEngine;
  readonly maker: EngineFactory;
  readonly imageView: ImageFilter;
  readonly filesView: FilesView;
  readonly reviews: ReviewController;
  readonly tabs: ViewerTabs;
}
