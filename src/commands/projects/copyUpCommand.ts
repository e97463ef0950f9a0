import * as l10n from '@vscode/l10n';
import { formatCliCall } from '../../engine/cli/cliCall.ts';
import { composeArguments } from '../../projects/cli/composeArguments.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import type { Ui } from '../ui/ui.ts';
import { askProfiles } from './askProfiles.ts';
import { chooseCompose, isComposeRow } from './chooseCompose.ts';
import type { ComposeRunner } from '../ui/composeRunner.ts';
import { composeSchema, prepareCompose, type ComposeArguments } from './prepareCompose.ts';

/** Copies the command that Up runs in a task. */
export const copyUpCommand = (
  ui: Ui,
  open: () => Promise<ComposeRunner>,
): PlainCommand<ComposeArguments, { readonly command: string }> => {
  const commandOf = async (
    args: ComposeArguments,
    context: CommandContext,
    signal: AbortSignal,
  ): Promise<{ readonly command: string }> => {
    const { cli, request, callOf } = await prepareCompose(args, context, await open(), signal);
    return {
      command: formatCliCall(callOf(composeArguments(cli, 'up', request))),
    };
  };
  return {
    id: 'gantry.projects.copyUpCommand',
    schema: composeSchema,
    selects: 'container',
    takes: isComposeRow,
    isForOne: true,
    failureTitle: l10n.t('Could not copy the command'),
    run: commandOf,
    runInteractive: async (context, nodes, args) => {
      const runner = await open();
      const chosen = await chooseCompose(
        context,
        { id: 'gantry.projects.copyUpCommand', nodes },
        runner,
        args,
      );
      const complete = chosen && (await askProfiles(chosen, context, runner));
      if (!complete) return undefined;
      const found = await ui.progress(l10n.t('Copying the command'), 'late', (signal) =>
        commandOf(complete, context, signal),
      );
      await ui.copy(found.command);
      return found;
    },
  };
};
