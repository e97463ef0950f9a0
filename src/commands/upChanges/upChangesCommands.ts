import * as l10n from '@vscode/l10n';
import { editorCommands, type Command, type PlainCommand } from '../frame/command.ts';
import { askProfiles } from '../projects/askProfiles.ts';
import { chooseCompose, isComposeRow } from '../projects/chooseCompose.ts';
import { composeSchema, type ComposeArguments } from '../projects/findRequest.ts';
import { withErrorMessage, type ErrorDetails } from '../ui/withErrorMessage.ts';
import { findChanges, type UpChanges } from './findChanges.ts';
import { upInWorktreeCommand } from './upInWorktreeCommand.ts';
import { UpPreviews } from './upPreviews.ts';

/** The commands that preview Up, and those of the view that shows the last preview. */
export function upChangesCommands(details: ErrorDetails): readonly Command[] {
  const { ui } = details;
  const previews = new UpPreviews();
  const close = (): Promise<void> => previews.close(ui);
  return [
    whatWouldUpChangeCommand(previews),
    upInWorktreeCommand(previews),
    ...editorCommands({
      'gantry.upChanges.up': async () => {
        const { shown } = previews;
        // What it shows is not true any more once something is done.
        await close();
        return withErrorMessage(l10n.t('Could not run Compose'), details, () => shown?.up());
      },
      'gantry.upChanges.refresh': () =>
        withErrorMessage(l10n.t('Could not preview Up'), details, () => previews.shown?.refresh()),
      'gantry.upChanges.close': close,
    }),
  ];
}

/** Shows what Up would do with each container, network and volume, before anything is done. */
const whatWouldUpChangeCommand = (
  previews: UpPreviews,
): PlainCommand<ComposeArguments, UpChanges> => ({
  id: 'gantry.projects.whatWouldUpChange',
  schema: composeSchema,
  selects: 'container',
  accepts: isComposeRow,
  isForOne: true,
  failureTitle: l10n.t('Could not preview Up'),
  ofUri: ({ fsPath }) => ({ files: [fsPath] }),
  run: findChanges,
  runInteractive: async (context, nodes, args) => {
    const asked = { id: 'gantry.projects.whatWouldUpChange', nodes } as const;
    const target = await chooseCompose(context, asked, args);
    const chosen = target && (await askProfiles(target, context));
    return chosen && previews.show(chosen, context);
  },
});
