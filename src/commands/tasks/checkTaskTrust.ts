import * as l10n from '@vscode/l10n';
import { RestrictedModeError } from '../../engine/errors.ts';
import type { Ui } from '../ui/ui.ts';

/** Checks that tasks may run. @throws RestrictedModeError. */
export function checkTaskTrust(ui: Pick<Ui, 'isTrusted'>): void {
  if (ui.isTrusted()) return;
  throw new RestrictedModeError(
    l10n.t('This workspace is in Restricted Mode. Trust it to run tasks with containers.'),
  );
}
