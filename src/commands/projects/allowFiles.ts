import * as l10n from '@vscode/l10n';
import { isAbsolute } from 'node:path';
import { isReallyWithin, realPathOf } from '../../projects/fileAccess.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { formatReason } from '../ui/formatNames.ts';

/**
 * Asks before files and folders outside of the workspace are used, because anything that creates containers can put
 * paths in their labels. Asks once in a session for each path. Resolves to false if the user cancels.
 *
 * @param paths from labels.
 */
export async function allowFiles(
  paths: readonly string[],
  { ui, window: { allowedFiles, worktrees } }: Pick<CommandContext, 'ui' | 'window'>,
): Promise<boolean> {
  // An answer is for where a path leads now.
  const folders = ui.workspaceFolders();
  const overrides = await worktrees();
  const asked = paths
    // Our own: their contents come from the other files.
    .filter((path) => overrides.projectOf(path) === undefined)
    .filter((path) => !isReallyWithin(path, folders))
    .map(placeOf)
    .filter((place) => !allowedFiles.has(place));
  if (asked.length === 0) return true;
  const question = l10n.t('Use files outside of the workspace?');
  const detail = [
    l10n.t(
      'They can run any program as you, and be sent to the engine. The labels of containers name them:',
    ),
    ...asked.map(formatReason),
  ];
  if (!(await ui.confirm(question, detail.join('\n'), l10n.t('Use Files')))) return false;
  for (const place of asked) allowedFiles.add(place);
  return true;
}

/** Returns a path, and where it leads if that is another one. A network share is not looked at. */
function placeOf(path: string): string {
  const isLocal = isAbsolute(path) && !/^[\\/]{2}/.test(path);
  const real = isLocal ? realPathOf(path) : path;
  return real === undefined || real === path ? path : `${path} → ${real}`;
}
