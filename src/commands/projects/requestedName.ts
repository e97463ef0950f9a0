import * as l10n from '@vscode/l10n';
import { basename, dirname } from 'node:path';
import { InputError } from '../../engine/errors.ts';
import type { Container } from '../../engine/model.ts';
import type { ComposeRequest } from '../../projects/cli/composeArguments.ts';
import { literal } from '../../projects/composeBuild.ts';
import { readComposeFile } from '../../projects/composeFile.ts';
import { readComposeText } from '../../projects/projectFiles.ts';
import { projectName, projectsOfFiles } from '../../projects/projectOfFiles.ts';
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

/** Returns the name that the files have written, or else that of their folder. */
export async function nameInFiles({ files, folder }: FilesOfProject): Promise<string> {
  let written: string | undefined;
  for (const file of files) {
    const text = await readComposeText(file);
    const read = text === undefined ? undefined : await readComposeFile(text);
    written = literal(read?.name) ?? written;
  }
  const [first = ''] = files;
  return written ?? (projectName(folder ?? dirname(first)) || basename(first));
}

type FilesOfProject = Pick<ComposeRequest, 'files' | 'folder'>;

/** The most projects that an error names. */
const MOST_NAMES = 5;
