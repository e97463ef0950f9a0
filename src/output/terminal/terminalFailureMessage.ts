import * as l10n from '@vscode/l10n';
import { failedWith } from '../../engine/errors.ts';

/** Returns the message for a failure that means the same for each terminal of a container; undefined for others. */
export function terminalFailureMessage(error: unknown, name: string): string | undefined {
  if (failedWith(error, 'notFound')) return l10n.t('Container {0} was removed.', name);
  if (failedWith(error, 'sshFull'))
    return l10n.t(
      'Too many logs and terminals are open over this SSH connection. Close one, then try again.',
    );
  return undefined;
}

/** Returns the sentence for a session that ended with the connection to its engine. */
export function connectionEndMessage(error: unknown): string {
  if (failedWith(error, 'engineRemoved'))
    return l10n.t('The engine was changed or removed in the settings.');
  if (failedWith(error, 'disconnected')) return l10n.t('The engine was disconnected.');
  return l10n.t('Connection to the engine lost.');
}
