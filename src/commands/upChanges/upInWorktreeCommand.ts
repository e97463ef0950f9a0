import * as l10n from '@vscode/l10n';
import { OldComposeError } from '../../projects/worktrees/resolveProject.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { askProfiles } from '../projects/askProfiles.ts';
import { chooseCompose, isComposeRow } from '../projects/chooseCompose.ts';
import {
  runComposeForUser,
  runForCaller,
  type ComposeResult,
} from '../projects/composeCommands.ts';
import { confirmHidden } from '../projects/confirmHidden.ts';
import { composeSchema, type ComposeArguments } from '../projects/findRequest.ts';
import { prepareCompose } from '../projects/prepareCompose.ts';
import { listContainersForUser } from '../projects/projectTarget.ts';
import { worktreeProjectOf } from '../projects/worktreeProjectOf.ts';
import { fillVolumes } from '../worktrees/fillVolumes.ts';
import { errorMessage } from '../ui/errorMessage.ts';
import { formatName } from '../ui/formatNames.ts';
import type { CommandId } from '../ui/ui.ts';
import type { UpPreviews } from './upPreviews.ts';

const ID: CommandId = 'gantry.projects.upInWorktree';
const { worktree: _, ...SCHEMA } = composeSchema;

/**
 * Creates and starts a project of its own for the worktree that is open. The first time, it shows before how that
 * differs from the compose files.
 */
export const upInWorktreeCommand = (
  previews: UpPreviews,
): PlainCommand<ComposeArguments, ComposeResult> => ({
  id: 'gantry.projects.upInWorktree',
  schema: SCHEMA,
  selects: 'container',
  accepts: isComposeRow,
  isForOne: true,
  failureTitle: l10n.t('Could not run Compose'),
  ofUri: ({ fsPath }) => ({ files: [fsPath] }),
  run: (args, context, signal) => runForCaller('up', { ...args, worktree: true }, context, signal),
  runInteractive: async (context, nodes, args) => {
    if (!(await confirmHidden(context.ui, ID, nodes))) return undefined;
    const target = await chooseCompose(context, { id: ID, nodes }, args);
    const chosen = target && (await askProfiles({ ...target, worktree: true }, context));
    if (!chosen) return undefined;
    try {
      return await upForUser(chosen, context, previews);
    } catch (error) {
      if (!(error instanceof OldComposeError)) throw error;
      const { worktree: _, ...plain } = chosen;
      const run = (): unknown => runComposeForUser('up', plain, context);
      context.ui.error(errorMessage(error), { title: l10n.t('Up'), run });
      return undefined;
    }
  },
});

async function upForUser(
  chosen: ComposeArguments,
  context: CommandContext,
  previews: UpPreviews,
): Promise<ComposeResult | undefined> {
  const { ui } = context;
  const up = (): Promise<ComposeResult | undefined> => fillAndUp(chosen, context);
  // How it differs was shown then.
  const containers = await listContainersForUser(context);
  if ((await worktreeProjectOf(chosen, containers, context)).isCreated)
    return runComposeForUser('up', chosen, context);
  const { project = '' } = await previews.show(chosen, context, up);
  const items = [{ label: l10n.t('Up'), description: formatName(project), icon: 'play-circle' }];
  const title = context.titleOf(ui.commandTitle(ID) ?? '');
  const placeholder = l10n.t('The Up Preview view shows what is different here');
  if (!(await ui.pick({ title, placeholder, items }))) return undefined;
  await previews.close(ui);
  return up();
}

/** Runs Compose once the user has decided what the volumes start with. Resolves to undefined if the user cancels. */
async function fillAndUp(
  chosen: ComposeArguments,
  context: CommandContext,
): Promise<ComposeResult | undefined> {
  const { ui } = context;
  const owner = await ui.progress(l10n.t('Starting Compose'), 'late', async (signal) => {
    return (await prepareCompose(chosen, context, signal)).separated;
  });
  const isFilled = owner === undefined || (await fillVolumes(owner, context));
  return isFilled ? runComposeForUser('up', chosen, context) : undefined;
}
