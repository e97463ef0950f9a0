import * as l10n from '@vscode/l10n';
import { oneLine } from '../../base/plainText.ts';
import { missingPart } from '../../engine/exec/missingPart.ts';
import type { ExecSpec } from '../../engine/exec/exec.ts';

/** Returns what a container lacks to start a process, from what its engine says; undefined if it says something else. */
export function missingPartMessage(
  message: string,
  { command, user = '', workingDir = '' }: Pick<ExecSpec, 'command' | 'user' | 'workingDir'>,
  name: string,
): string | undefined {
  switch (missingPart(message)) {
    case 'program':
      return l10n.t('{0} has no program "{1}".', name, oneLine(command[0] ?? '', 80));
    case 'user':
      return l10n.t('{0} has no user or group "{1}".', name, oneLine(user, 80));
    case 'folder':
      return l10n.t('{0} has no folder {1}.', name, oneLine(workingDir, 80));
    case undefined:
      return undefined;
  }
}
