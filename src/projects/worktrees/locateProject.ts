import { dirname } from 'node:path';
import { oneLine } from '../../base/plainText.ts';
import { InputError } from '../../engine/errors.ts';
import type { Container } from '../../engine/model.ts';
import type { ComposeRequest } from '../cli/composeArguments.ts';
import { filesOf, projectOf } from '../projectLabels.ts';
import { writtenName } from './writtenName.ts';
import { findWorktree, type Worktree } from './findWorktree.ts';
import type { WorktreeOverrides, WorktreeRecord } from './worktreeOverrides.ts';
import { existingName, hashAtEnd, worktreeProject, type WorktreeName } from './worktreeProject.ts';

/**
 * Finds the project of the worktree that compose files are in. It keeps the name that it has, also if another branch is
 * checked out since.
 *
 * @param request with the name of the project only if it is known to be that of the worktree.
 * @param containers those of the engine.
 * @throws InputError if the files are in no repository.
 */
export async function locateProject(
  { files, folder, project }: Pick<ComposeRequest, 'files' | 'folder' | 'project'>,
  overrides: WorktreeOverrides,
  containers: Iterable<Container>,
): Promise<WorktreePlace> {
  const place = dirname(files[0] ?? '');
  const ofFolder = folder === undefined ? undefined : await findWorktree(folder);
  const worktree = ofFolder ?? (await findWorktree(place));
  if (!worktree) throw InputError.of('{0} is not in a git repository. Use Up.', oneLine(place));
  const name = worktreeProject(worktree, await writtenName(files));
  // Not what rows have read: another window may have changed it since.
  const found = await overrides.find(project ?? name.project);
  const record = project === undefined || found?.project === project ? found : undefined;
  const existing = project ?? record?.project ?? onEngine(name, overrides, containers);
  const known = existing === undefined ? name : existingName(name, existing);
  return { worktree, record, name: known };
}

/** The project of a worktree, and what is known of it. */
export interface WorktreePlace {
  readonly worktree: Worktree;
  readonly name: WorktreeName;
  /** Undefined if it is new, or its file was lost. */
  readonly record: WorktreeRecord | undefined;
}

/** Returns the name of the project of the same worktree on the engine, if its file was lost. */
function onEngine(
  { project }: WorktreeName,
  overrides: WorktreeOverrides,
  containers: Iterable<Container>,
): string | undefined {
  for (const one of containers) {
    const found = projectOf(one);
    if (found === undefined || hashAtEnd(found) !== hashAtEnd(project)) continue;
    if (filesOf(one).files.some((file) => overrides.projectOf(file) === found)) return found;
  }
  return undefined;
}
