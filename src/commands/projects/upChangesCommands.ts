import * as l10n from '@vscode/l10n';
import type { Commands } from '../frame/command.ts';
import { withErrorMessage, type ErrorDetails } from '../ui/withErrorMessage.ts';
import type { UpChangesDisplay } from '../ui/composeRunner.ts';

/** The commands of the view that shows what Up would change. */
export function upChangesCommands(
  details: ErrorDetails,
  display: () => Promise<UpChangesDisplay>,
): Commands {
  return {
    simple: {
      'gantry.upChanges.up': async () => {
        const view = await display();
        const { current } = view;
        // What it shows is not true any more once something is done.
        view.close();
        return withErrorMessage(l10n.t('Could not run Compose'), details, () => current?.up());
      },
      'gantry.upChanges.refresh': async () => {
        const { current } = await display();
        const title = l10n.t('Could not preview Up');
        return withErrorMessage(title, details, () => current?.refresh());
      },
      'gantry.upChanges.close': async () => {
        (await display()).close();
      },
    },
  };
}
