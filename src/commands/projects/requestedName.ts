import * as l10n from '@vscode/l10n';
import { basename, dirname } from 'node:path';
import { InputError } from '../../engine/errors.ts';
import type { Container } from '../../engine/model.ts';
import type { ComposeRequest } from '../../projects/cli/composeArguments.ts';
import { writtenName } from '../../projects/worktrees/writtenName.ts';
import { findProject, type Project } from '../../projects/project.ts';
import { hasFile, pathKey, projectName, projectsOfFiles } from '../../projects/projectOfFiles.ts';
import { formatNames } from '../ui/formatNames.ts';

/** Returns the name of a project that files describe, as the row of the project has it. */
export async function requestedName(
  request: FilesOfProject,
  containers: Iterable<Container>,
): Promise<string> {
  const known = projectsOfFiles(request.files, containers);
  const [only] = known;
  return only !== undefined && known.length === 1 ? only : nameInFiles(request);
}

/**
 * Returns the name of the project that was created from exactly these files; undefined if there is none. Of several,
 * it is the one with the name that Compose gives to the files.
 *
 * @throws InputError if there are several, and none of them has that name.
 */
export async function existingProject(
  request: FilesOfProject,
  containers: Iterable<Container>,
): Promise<string | undefined> {
  const known = projectsOfFiles(request.files, containers);
  if (known.length <= 1) return known[0];
  const name = await nameInFiles(request);
  if (known.includes(name)) return name;
  throw new InputError(
    l10n.t(
      'Several projects were created from these files: {0}. Set "project".',
      formatNames(known, MOST_NAMES),
    ),
  );
}

/**
 * Returns the project on the engine that files mean: the one that was created from exactly these files, or else the one
 * with their name. It is `foreign` if it was created neither from one of them nor in their folder, and only has that
 * name.
 *
 * @throws InputError if there are several.
 */
export async function projectOfFiles(
  files: readonly string[],
  containers: readonly Container[],
): Promise<{ readonly name: string; readonly kind: 'own' | 'foreign' | 'none' }> {
  const known = await existingProject({ files }, containers);
  if (known !== undefined) return { name: known, kind: 'own' };
  const name = await nameInFiles({ files });
  const found = findProject(containers, name);
  if (!found) return { name, kind: 'none' };
  return { name, kind: isOfFiles(found, files) ? 'own' : 'foreign' };
}

/** Whether a project was created from one of the files, or in their folder. */
function isOfFiles(project: Project, files: readonly string[]): boolean {
  if (files.some((file) => hasFile(project, file))) return true;
  const [first = ''] = files;
  return pathKey(project.workingDir ?? '') === pathKey(dirname(first));
}

/** Returns the name that the files have written, or else that of their folder. */
export async function nameInFiles({ files, folder }: FilesOfProject): Promise<string> {
  const [first = ''] = files;
  const written = await writtenName(files);
  return written ?? (projectName(folder ?? dirname(first)) || basename(first));
}

type FilesOfProject = Pick<ComposeRequest, 'files' | 'folder'>;

/** The most projects that an error names. */
const MOST_NAMES = 5;
