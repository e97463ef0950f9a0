import * as l10n from '@vscode/l10n';
import type { PlainCommand } from '../frame/command.ts';
import type { CleanupKind } from '../../engine/system/cleanupKinds.ts';

/** Opens the page that shows what uses disk space, and removes what the user selects there. */
export const cleanUpCommand = (): CleanUpCommand => openPage('gantry.system.cleanUp');

/** Opens the clean-up page for the build cache alone. */
export const cleanUpBuildCacheCommand = (): CleanUpCommand =>
  openPage('gantry.builds.pruneCache', 'buildCache');

type CleanUpCommand = PlainCommand<object, { readonly title: string }>;

function openPage(id: CleanUpCommand['id'], only?: CleanupKind): CleanUpCommand {
  return {
    id,
    schema: {},
    failureTitle: l10n.t('Could not open the clean-up page'),
    run: (_, context) => context.openCleanUp(only),
    runInteractive: (context) => context.openCleanUp(only),
  };
}
