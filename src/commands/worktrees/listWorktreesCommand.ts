import * as l10n from '@vscode/l10n';
import { listContainersInPods } from '../../engine/containers/listContainersInPods.ts';
import { isUp } from '../../engine/model.ts';
import { readProjects, type Project } from '../../projects/project.ts';
import { withoutFinished } from '../../projects/projectLabels.ts';
import { rootsOf } from '../../projects/worktrees/findCheckout.ts';
import { findWorktree, innermostRoot } from '../../projects/worktrees/findWorktree.ts';
import { findWorktreeState } from '../../projects/worktrees/findWorktreeState.ts';
import type { WorktreeOverrides } from '../../projects/worktrees/worktreeOverrides.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { Ui } from '../ui/ui.ts';

/**
 * Lists the projects of worktrees: those that have a file of their own, and those whose folder is in a worktree of a
 * repository of the workspace. Always asks the engine.
 */
export const listWorktreesCommand = (): PlainCommand<object, readonly ListedWorktree[]> => ({
  id: 'gantry.projects.worktrees',
  schema: {},
  failureTitle: l10n.t('Could not list the projects of worktrees'),
  run: async (_, { engine, window, ui }, signal) => {
    const connection = await engine.connect(signal);
    const projects = readProjects(await listContainersInPods(connection, signal));
    const overrides = await window.worktrees();
    const roots = await rootsOfWorkspace(ui);
    const found = projects.map(async (project) => {
      const place = (await recordedPlace(project, overrides)) ?? (await placeIn(project, roots));
      return place && { ...place, project: project.name, isUp: isWholeUp(project) };
    });
    return (await Promise.all(found)).filter((one) => one !== undefined);
  },
});

/** The project of a worktree as callers see it. */
interface ListedWorktree extends Place {
  readonly project: string;
  /** Whether all its containers are up. */
  readonly isUp: boolean;
}

interface Place {
  /** The root of the worktree. */
  readonly folder: string;
  /** Missing if no branch is checked out. */
  readonly branch?: string;
  /** Whether the worktree was removed. */
  readonly isGone: boolean;
}

function isWholeUp({ services, oneOffs }: Project): boolean {
  const containers = [...services.flatMap((one) => one.containers), ...oneOffs];
  return withoutFinished(containers.map((container) => ({ container }))).every(({ container }) =>
    isUp(container),
  );
}

async function recordedPlace(
  { name, files }: Project,
  overrides: WorktreeOverrides,
): Promise<Place | undefined> {
  const isOwn = files.some((file) => overrides.projectOf(file) === name);
  const record = isOwn ? await overrides.read(name) : undefined;
  if (!record) return undefined;
  const { paths: _, ...place } = await findWorktreeState(record);
  return place;
}

/** Labels name the folder of a project: it is only compared with worktrees. */
async function placeIn(
  { workingDir = '' }: Project,
  roots: readonly string[],
): Promise<Place | undefined> {
  const folder = innermostRoot(workingDir, roots);
  if (folder === undefined) return undefined;
  const { branch } = (await findWorktree(folder)) ?? {};
  return { folder, isGone: false, ...(branch !== undefined && { branch }) };
}

/** Returns the roots of all worktrees of the repositories that the workspace folders are in. */
async function rootsOfWorkspace(ui: Ui): Promise<readonly string[]> {
  if (!ui.isTrusted()) return [];
  const found = await Promise.all(
    ui.workspaceFolders().map(async (folder) => {
      const worktree = await findWorktree(folder);
      return worktree ? [worktree.root, ...(await rootsOf(worktree.common))] : [];
    }),
  );
  return [...new Set(found.flat())];
}
