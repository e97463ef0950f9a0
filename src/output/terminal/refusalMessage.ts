import * as l10n from '@vscode/l10n';
import { oneLine } from '../../base/plainText.ts';
import { missingPart } from '../../engine/exec/missingPart.ts';
import type { ExecSpec } from '../../engine/exec/exec.ts';

/** Returns what a container lacks to start a process, from what its engine says; undefined if it says something else. */
export function refusalMessage(
  message: string,
  { command, user = '', workingDir = '' }: Pick<ExecSpec, 'command' | 'user' | 'workingDir'>,
  name: string,
): string | undefined {
  switch (missingPart(message)) {
    case 'program':
      return l10n.t('There is no program "{0}" in {1}.', oneLine(command[0] ?? '', 80), name);
    case 'user':
      return l10n.t('There is no user or group "{0}" in {1}.', oneLine(user, 80), name);
    case 'folder':
      return l10n.t('There is no folder {0} in {1}.', oneLine(workingDir, 80), name);
    case undefined:
      return undefined;
  }
}
