/** The build of a service, as its compose file describes it. */

import * as l10n from '@vscode/l10n';
import { dirname, isAbsolute, resolve } from 'node:path';
import { InputError } from '../../engine/errors.ts';
import { oneLine } from '../../base/plainText.ts';
import {
  isBuildable,
  literal,
  mergeServices,
  type MergedService,
} from '../../projects/composeBuild.ts';
import { readComposeFile } from '../../projects/composeFile.ts';
import { isReallyWithin } from '../../projects/fileAccess.ts';
import { readComposeText } from '../../projects/projectFiles.ts';
import { findProject } from '../../projects/project.ts';
import { projectName, projectsWithFile } from '../../projects/projectOfFiles.ts';
import { withOverride } from '../../projects/withOverride.ts';
import type { TreeNode } from '../../views/treeNode.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { formatName } from '../ui/formatNames.ts';
import { composeTargetsOf } from '../projects/chooseCompose.ts';
import { findDockerfile } from './buildArguments.ts';
import type { PointedBuild } from './pointedBuild.ts';
import { allowFiles } from '../projects/allowFiles.ts';

/** A service, and the compose files that may describe it, each overriding those before. Absolute paths. */
export interface PointedService {
  readonly files: readonly string[];
  readonly service: string;
  /** Known if it was created. */
  readonly project?: string;
  /** Folder that the paths are relative to; by default the folder of the first file. */
  readonly folder?: string;
}

/** Whether a file is one that describes services. */
export function isComposePath(path: string): boolean {
  return /\.ya?ml$/i.test(path);
}

/** Returns the service of a row, or of a container's row; undefined if the row is not of a service. */
export function serviceOfRow(
  node: TreeNode | undefined,
  { inventory }: CommandContext,
): PointedService | undefined {
  const [row] = node ? composeTargetsOf([node]) : [];
  if (row?.service === undefined) return undefined;
  const found = findProject(inventory.containers.values(), row.project);
  if (!found) return undefined;
  const { name: project, files, workingDir: folder } = found;
  return { files, service: row.service, project, ...(folder !== undefined && { folder }) };
}

/** Returns the service of a compose file, with its override file, and the name of the only project created from it. */
export async function serviceInFile(
  file: string,
  service: string,
  { inventory }: CommandContext,
): Promise<PointedService> {
  const [first, ...others] = projectsWithFile(file, inventory.containers.values());
  // Of several, none is meant: the name in the file counts.
  const project = others.length === 0 ? first?.name : undefined;
  return { files: await withOverride(file), service, ...(project !== undefined && { project }) };
}

/**
 * Reads what to build for a service.
 *
 * @throws InputError if no file describes it, or the files are not on this machine.
 */
export async function pointedService(pointed: PointedService): Promise<PointedBuild> {
  const { files, service, project, folder } = pointed;
  const [first = ''] = files;
  const base = folder ?? dirname(first);
  const { build, image, name, unknown, isUnclear } = await describedService(files, service);
  const isUnknown = isUnclear || unknown.includes('build') || (build && !isBuildable(build));
  if (isUnknown || (!build && unknown.length > 0)) {
    throw new InputError(
      l10n.t(
        'Cannot read how {0} is built from the compose files. Use Build and Up.',
        formatName(service),
      ),
    );
  }
  if (!build) {
    throw new InputError(
      l10n.t('No local compose file has a build section for the service {0}.', formatName(service)),
    );
  }
  const { context: given = '.', dockerfile, target, args, leftOut } = build;
  if (/^(?:[a-z][a-z\d+.-]*:\/\/|git@)/i.test(given) || SHARE.test(given))
    throw new InputError(l10n.t('The build context {0} is not a local folder.', formatName(given)));
  if (dockerfile !== undefined && SHARE.test(dockerfile))
    throw new InputError(l10n.t('{0} is not a local file.', formatName(dockerfile)));
  const context = resolve(base, given);
  const owner = project ?? literal(name) ?? projectName(base);
  const tag = literal(image);
  const isTagKnown = tag !== undefined || (image === undefined && !unknown.includes('image'));
  const tags = isTagKnown ? [tag ?? `${owner}-${service}`.toLowerCase()] : [];
  return {
    context,
    dockerfile: await findDockerfile(context, dockerfile),
    ...(target !== undefined && { target }),
    proposed: { tags, args },
    leftOut: [...new Set([...leftOut, ...unknown, ...(isTagKnown ? [] : ['image'])])],
  };
}

/** A network share: to look at it makes Windows sign in to the server that a file of a repository names. */
const SHARE = /^[\\/]{2}/;

/** Description of a service in compose files, and the name of their project, as written. */
interface DescribedService extends MergedService {
  readonly name?: string | undefined;
  /** Whether one of them cannot be read, or may say more than is known. */
  readonly isUnclear: boolean;
}

/** Reads all files, and merges them as Compose does. */
async function describedService(
  files: readonly string[],
  service: string,
): Promise<DescribedService> {
  let merged: DescribedService = { unknown: [], isUnclear: false };
  for (const file of files) {
    const read = isAbsolute(file) ? await composeFileAt(file) : undefined;
    const found = read?.services.find((one) => one.name === service);
    merged = {
      ...(found ? mergeServices(merged, found) : merged),
      name: read?.name ?? merged.name,
      isUnclear: merged.isUnclear || !read || read.isUnclear === true,
    };
  }
  // A project of another machine: none of its files is here.
  const isElsewhere = merged.build === undefined && merged.unknown.length === 0;
  return { ...merged, isUnclear: merged.isUnclear && !isElsewhere };
}

/** Returns a note about keys that the form does not have; undefined if there are none. */
export function leftOutMessage(keys: readonly string[] = []): string | undefined {
  const names = oneLine(keys.join(', '));
  if (names === '') return undefined;
  return l10n.t('Not taken from the compose file: {0}. Set what the build needs.', names);
}

/**
 * Reads what to build for the service of a row. Labels name its files and folder: asks before those outside of the
 * workspace are used. Resolves to undefined if the user cancels.
 *
 * @throws InputError as `pointedService`.
 */
export async function pointedRow(
  row: PointedService,
  context: Pick<CommandContext, 'ui' | 'window'>,
): Promise<PointedBuild | undefined> {
  const folders = row.folder === undefined ? [] : [row.folder];
  if (!(await allowFiles([...row.files, ...folders], context))) return undefined;
  const pointed = await pointedService(row);
  // The labels decide what the context is relative to, so it can be anywhere.
  const paths = [pointed.context, pointed.dockerfile].filter(
    (path) => !isReallyWithin(path, folders),
  );
  return (await allowFiles(paths, context)) ? pointed : undefined;
}

async function composeFileAt(path: string) {
  const text = await readComposeText(path);
  return text === undefined ? undefined : readComposeFile(text);
}
