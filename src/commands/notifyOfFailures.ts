import type { Engines } from '../engines/engines.ts';
import type { EngineUnit } from '../engines/engineUnit.ts';
import type { Disposable } from '../lifetime.ts';
import { showLog } from './logs/logsCommand.ts';
import type { CommandContext } from './context.ts';
import type { Ui } from './ui.ts';

/** Notifies the user of containers that exit unexpectedly, if the setting is on. */
export function notifyOfFailures(
  ui: Ui,
  engines: Engines,
  contextOf: (unit: EngineUnit) => CommandContext,
): Disposable {
  return engines.onDidFail(({ unit, id, name, exitCode, isOutOfMemory }) => {
    if (!ui.settings.notifyOnFailure()) return;
    const context = contextOf(unit);
    const title = context.titleOf(name);
    const words = isOutOfMemory
      ? ui.l10n.t('{0} ran out of memory and was killed.', title)
      : ui.l10n.t('{0} exited unexpectedly with code {1}.', title, exitCode);
    ui.warn(words, { title: ui.l10n.t('Show Logs'), run: () => showLog({ id, name }, context) });
  });
}
