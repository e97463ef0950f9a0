import * as l10n from '@vscode/l10n';
import type { EngineFailure } from '../../engines/engines.ts';
import { showLog } from '../logs/logsCommand.ts';
import type { CommandContext } from '../frame/commandContext.ts';

/** Notifies the user of a container that exited unexpectedly. */
export function notifyOfFailure(
  { id, name, exitCode, isOutOfMemory }: Omit<EngineFailure, 'unit'>,
  context: CommandContext,
): void {
  const title = context.titleOf(name);
  const words = isOutOfMemory
    ? l10n.t('{0} ran out of memory and was killed.', title)
    : l10n.t('{0} exited unexpectedly with code {1}.', title, exitCode);
  context.ui.warn(words, {
    title: l10n.t('Show Logs'),
    run: () => showLog({ id, name }, context),
  });
}
