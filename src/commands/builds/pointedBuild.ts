import * as l10n from '@vscode/l10n';
import { basename, dirname } from 'node:path';
import { DOCKERFILES, isDockerfile, LAST_STAGE } from '../../builds/dockerfiles.ts';
import { InputError } from '../../engine/errors.ts';
import { realFileOutside } from '../../base/readLocalFile.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { formatPath } from '../ui/formatNames.ts';
import { fileExists } from '../files/archiveFiles.ts';
import type { FileUri, Ui } from '../ui/ui.ts';
import { proposedTag } from './buildArguments.ts';
import type { BuildDraft } from '../../builds/buildMemory.ts';

/** A Dockerfile that the user pointed at. Absolute paths. */
export interface PointedBuild {
  readonly dockerfile: string;
  readonly context: string;
  /** Empty for the last stage, whatever was built before. */
  readonly target?: string;
  /** Values that a compose file proposes for the form. */
  readonly proposed?: Pick<BuildDraft, 'tags' | 'args'>;
  /** The keys of the compose file that the form does not have. */
  readonly leftOut?: readonly string[];
}

/**
 * Returns the build that a file means: that of the Dockerfile, with its folder as the context. The fragment of the URI
 * is the target, for the lenses: the name of a stage, its index, or `LAST_STAGE`.
 */
export function pointedAt(uri: FileUri & { readonly fragment?: string }): PointedBuild {
  const { fsPath: dockerfile, fragment = '' } = uri;
  const target = fragment === LAST_STAGE ? '' : fragment;
  return { dockerfile, context: dirname(dockerfile), ...(fragment !== '' && { target }) };
}

/**
 * Returns the same build with the file that a link leads to if that is not in the folder of the link: the question and
 * the form name that file, and no other is built.
 *
 * @throws InputError if the link has an ignore file of its own: it does not count for the other file.
 */
export async function withRealDockerfile(pointed: PointedBuild): Promise<PointedBuild> {
  const link = pointed.dockerfile;
  const dockerfile = await realFileOutside(link);
  if (dockerfile === undefined) return pointed;
  const ignored = ['dockerignore', 'containerignore'].map((name) => fileExists(`${link}.${name}`));
  if ((await Promise.all(ignored)).includes(true))
    throw new InputError(
      l10n.t('{0} is a link out of its folder. Use {1}.', link, formatPath(dockerfile)),
    );
  return { ...pointed, dockerfile };
}

/**
 * Returns what the form begins with: the last values for the Dockerfile, but those of a compose file count, and so does
 * the target that the user pointed at, with the tags that it had last.
 */
export function firstValues(
  { context, target, proposed }: PointedBuild,
  last: BuildDraft | undefined,
): Partial<BuildDraft> | undefined {
  if (proposed) {
    return { ...last, tags: proposed.tags, target, args: { ...last?.args, ...proposed.args } };
  }
  if (target === undefined) return last;
  const known = last?.tagsOf?.find(([name]) => name === target)?.[1];
  const tags = known ?? (last?.tagsOf ? undefined : last?.tags) ?? [proposedTag(context)];
  return { ...last, target: target === '' ? undefined : target, tags };
}

/**
 * Returns the Dockerfile in the active editor, else the one of the workspace that the user picks.
 *
 * @param command what it is for, which is the title.
 * @throws InputError if the workspace has none.
 */
export async function pickDockerfile(
  { ui }: CommandContext,
  command: 'gantry.images.build' | 'gantry.images.checkBuild',
): Promise<PointedBuild | undefined> {
  const active = ui.activeFile(DOCKERFILES);
  if (active !== undefined && isDockerfile(active))
    return { dockerfile: active, context: dirname(active) };
  const found = (await findBuildFiles(ui, DOCKERFILES)).filter(isDockerfile);
  if (found.length === 0) throw new InputError(l10n.t('No Dockerfile in the workspace.'));
  const items = found.map((path) => ({ label: basename(path), description: dirname(path), path }));
  const placeholder = l10n.t('Select a Dockerfile');
  const title = ui.commandTitle(command);
  const picked = await ui.pick({ title, placeholder, items, matchOnDescription: true });
  return picked && { dockerfile: picked.path, context: dirname(picked.path) };
}

/** The most files that are offered. */
const MOST_FILES = 200;

/** Returns the absolute paths of files of the workspace, sorted. */
export async function findBuildFiles(ui: Ui, pattern: string): Promise<readonly string[]> {
  return (await ui.findFiles(pattern, MOST_FILES, '**/node_modules/**')).toSorted();
}
