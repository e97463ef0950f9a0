import type { Container } from '../../engine/model.ts';
import { projectOf } from '../../projects/projectLabels.ts';
import { locateProject } from '../../projects/worktrees/locateProject.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { allowFiles } from './allowFiles.ts';
import { findRequest, pathsNamedByLabels, type ComposeArguments } from './findRequest.ts';

/**
 * Returns the project of the worktree that files, or a project of another worktree, mean. Asks before files outside of the
 * workspace are used that labels name, also for a caller, and is canceled if the user does not agree.
 *
 * @param containers those of the engine.
 * @throws InputError if the files are not known, or in no repository.
 */
export async function worktreeProjectOf(
  args: ComposeArguments,
  containers: readonly Container[],
  context: Pick<CommandContext, 'ui' | 'window'>,
): Promise<{ readonly project: string; readonly isCreated: boolean }> {
  const { request } = await findRequest({ ...args, worktree: true }, containers, context);
  if (!(await allowFiles(pathsNamedByLabels(args, request), context)))
    throw new DOMException('Canceled', 'AbortError');
  const overrides = await context.window.worktrees();
  const { record, name } = await locateProject(request, overrides, containers);
  const { project } = name;
  const hasContainers = containers.some((one) => projectOf(one) === project);
  return { project, isCreated: record !== undefined && hasContainers };
}
