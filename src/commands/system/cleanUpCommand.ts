import type { PlainCommand } from '../command.ts';
import type { Ui } from '../ui.ts';
import type { CleanupKind } from './cleanupKinds.ts';

/** Opens the page that shows what uses disk space, and removes what the user selects there. */
export const cleanUpCommand = (ui: Ui): CleanUpCommand => openPage(ui, 'gantry.system.cleanUp');

/** Opens the clean-up page for the build cache alone. */
export const cleanUpBuildCacheCommand = (ui: Ui): CleanUpCommand =>
  openPage(ui, 'gantry.builds.pruneCache', 'buildCache');

type CleanUpCommand = PlainCommand<object, { readonly title: string }>;

function openPage({ l10n }: Ui, id: CleanUpCommand['id'], only?: CleanupKind): CleanUpCommand {
  return {
    id,
    schema: {},
    failureTitle: l10n.t('Could not open the clean-up page'),
    run: (_, context) => context.openCleanUp(only),
    runInteractive: (context) => context.openCleanUp(only),
  };
}
