import type { Project } from '../../projects/project.ts';
import { environmentFilesOf } from '../../projects/projectLabels.ts';
import type { CommandContext } from '../commandContext.ts';
import type { ComposeRunner } from './composeRunner.ts';

/**
 * Asks before compose files outside of the workspace are read or run, because anything that creates containers can
 * put paths in their labels. Asks once in a session for each file. Resolves to false if the user cancels.
 *
 * @param files absolute paths, from labels.
 */
export async function allowFiles(
  files: readonly string[],
  { ui }: Pick<CommandContext, 'ui'>,
  { isInWorkspace, allowedFiles }: ComposeRunner,
): Promise<boolean> {
  const asked = files.filter((file) => !isInWorkspace(file) && !allowedFiles.has(file));
  if (asked.length === 0) return true;
  const { l10n } = ui;
  const question = l10n.t('Use compose files outside of the workspace?');
  const detail = [
    l10n.t('They can run any program as you. The labels of containers name them:'),
    ...asked,
  ];
  if (!(await ui.confirm(question, detail.join('\n'), l10n.t('Use Files')))) return false;
  for (const file of asked) allowedFiles.add(file);
  return true;
}

/** Returns the files that the labels of a project name: those of compose, and those with variables. */
export function filesNamedBy({ files, services }: Project): readonly string[] {
  return [...files, ...environmentFilesOf(services.flatMap(({ containers }) => containers))];
}
