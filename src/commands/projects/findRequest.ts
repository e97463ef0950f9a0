import * as l10n from '@vscode/l10n';
import { isAbsolute, join } from 'node:path';
import { InputError } from '../../engine/errors.ts';
import type { Container } from '../../engine/model.ts';
import type { ComposeRequest } from '../../projects/cli/composeArguments.ts';
import { findProject, type Project } from '../../projects/project.ts';
import { environmentFilesOf } from '../../projects/projectLabels.ts';
import { defaultFiles } from '../../projects/withOverride.ts';
import { inOwnWorktree } from '../../projects/worktrees/findWorktree.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import type { ArgumentSchema } from '../ui/checkArguments.ts';
import { formatName } from '../ui/formatNames.ts';
import type { Ui } from '../ui/ui.ts';

/**
 * Finds what is run, and whether it is the project of a worktree, whose own file is left out: it is made again.
 *
 * @throws InputError if the files are not known.
 */
export async function findRequest(
  args: ComposeArguments,
  containers: readonly Container[],
  { ui, window }: Pick<CommandContext, 'ui' | 'window'>,
): Promise<{ readonly request: ComposeRequest; readonly isOfWorktree: boolean }> {
  const project = findProject(containers, args.project ?? '');
  const all = project?.files ?? [];
  const overrides = await window.worktrees();
  const known = project && { ...project, files: overrides.without(all) };
  if (args.worktree !== true) {
    const isOfWorktree = all.some((file) => overrides.projectOf(file) === project?.name);
    return { request: requestOf(args, known, ui), isOfWorktree };
  }
  const folders = ui.workspaceFolders();
  const isNothing = args.project === undefined && args.files === undefined;
  const given = isNothing ? { ...args, files: await defaultFiles(folders[0] ?? '') } : args;
  const { project: _, ...request } = requestOf(given, known, ui);
  // Files that are named are meant as they are.
  const isNamed = args.files !== undefined;
  return {
    request: isNamed ? request : await inThisWorktree(request, folders),
    isOfWorktree: true,
  };
}

/** Returns a run with the files of the worktree that is open, if they are those of another one. */
async function inThisWorktree(
  request: ComposeRequest,
  folders: readonly string[],
): Promise<ComposeRequest> {
  const { folder, envFiles = [] } = request;
  const paths = [...request.files, ...(folder === undefined ? [] : [folder]), ...envFiles];
  const own = [...(await inOwnWorktree(paths, folders))];
  return {
    ...request,
    files: own.splice(0, request.files.length),
    ...(folder !== undefined && { folder: own.shift() }),
    envFiles: own,
  };
}

function requestOf(args: ComposeArguments, known: Project | undefined, ui: Ui): ComposeRequest {
  const files = args.files?.map((file) => absolutePath(file, ui)) ?? known?.files ?? [];
  if (files.length === 0) {
    throw new InputError(
      args.project === undefined
        ? l10n.t('Set "project" or "files".')
        : l10n.t(
            'The files of project {0} are not known. Use a compose file instead.',
            formatName(args.project),
          ),
    );
  }
  const { services, profiles, removeOrphans } = args;
  const envFiles = args.envFiles?.map((file) => absolutePath(file, ui));
  return {
    files,
    services,
    profiles,
    removeOrphans,
    ...(args.project !== undefined && { project: args.project }),
    ...(args.files === undefined &&
      known?.workingDir !== undefined && { folder: known.workingDir }),
    envFiles:
      envFiles ??
      (known ? environmentFilesOf(known.services.flatMap(({ containers }) => containers)) : []),
  };
}

function absolutePath(path: string, ui: Ui): string {
  if (isAbsolute(path)) return path;
  const [folder] = ui.workspaceFolders();
  if (folder === undefined) {
    throw new InputError(l10n.t('"{0}" is not an absolute path.', formatName(path)));
  }
  return join(folder, path);
}

/**
 * Returns the paths of a run that the labels of containers name, and not the argument: the files of compose, those with
 * variables, and the folder.
 */
export function pathsNamedByLabels(
  args: ComposeArguments,
  { files, envFiles = [], folder }: ComposeRequest,
): readonly string[] {
  return [
    ...(args.files ? [] : files),
    ...(args.envFiles ? [] : envFiles),
    ...(folder === undefined ? [] : [folder]),
  ];
}

/** Target of a run of the compose CLI: a project that exists, files, or both. */
export interface ComposeArguments {
  readonly project?: string;
  /** Absolute paths, or relative to the first workspace folder. By default those that created the project. */
  readonly files?: readonly string[];
  /** All by default. */
  readonly services?: readonly string[];
  readonly profiles?: readonly string[];
  readonly envFiles?: readonly string[];
  readonly removeOrphans?: boolean;
  /** Whether it is a project of its own, for the worktree that the files are in. */
  readonly worktree?: boolean;
}

export const composeSchema: ArgumentSchema = {
  project: { kind: 'text' },
  files: { kind: 'texts' },
  services: { kind: 'texts' },
  profiles: { kind: 'texts' },
  envFiles: { kind: 'texts' },
  removeOrphans: { kind: 'boolean' },
  worktree: { kind: 'boolean' },
};
