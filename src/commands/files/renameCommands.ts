import * as l10n from '@vscode/l10n';
import { posix } from 'node:path';
import { FileNode } from '../../files/fileNode.ts';
import { joinPath, normalizePath } from '../../files/fileRoot.ts';
import { renameInEditors } from '../../files/changes/treeFileSystem.ts';
import { InputError } from '../../engine/errors.ts';
import { quotable } from '../../base/plainText.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { formatName } from '../ui/formatNames.ts';
import { changeSchema, changesOf, fileNameProblem } from './createCommands.ts';
import { isFile } from './deleteCommand.ts';
import { resolveLocation, type FileLocation, type PathArguments } from './fileLocation.ts';
import { resolveVolumeImage, withVolumeImage, type ImageArguments } from './withVolumeImage.ts';

interface RenameArguments extends PathArguments, ImageArguments {
  /** The new absolute path. */
  readonly to: string;
}

interface Changed<Outcome> {
  readonly outcome: Outcome;
  /** Both without links on the way to them. */
  readonly path: string;
  readonly to: string;
}

const SCHEMA = {
  ...changeSchema,
  to: { kind: 'text', required: true },
  image: { kind: 'text' },
} as const;

/** Renames a file or folder of a container or volume. Never replaces anything. */
export const renameCommand = (): PlainCommand<RenameArguments, Changed<'renamed'>> => ({
  id: 'gantry.files.rename',
  schema: SCHEMA,
  selects: 'file',
  accepts: isFile,
  isForOne: true,
  failureTitle: l10n.t('Could not rename'),
  run: async ({ to, image, ...args }, context, signal) => {
    const { root, path } = await resolveLocation(args, context, signal);
    const helper = await resolveVolumeImage(root, image, context, signal);
    const changes = await changesOf(context);
    const done = await changes.move(root, { path, to: checkTarget(to), image: helper }, signal);
    return { outcome: 'renamed', ...done };
  },
  runInteractive: async (context, [node]) => {
    if (!(node instanceof FileNode)) return undefined;
    const name = await askName(node, context);
    return name === undefined ? undefined : rename(node, name, context);
  },
});

async function rename(
  { root, path }: FileLocation,
  name: string,
  context: CommandContext,
): Promise<Changed<'renamed'> | undefined> {
  const { all, view } = await context.window.files();
  const changes = await changesOf(context);
  const to = joinPath(posix.dirname(path), name);
  const title = l10n.t('Renaming {0}', formatName(posix.basename(path)));
  const id = 'gantry.files.rename';
  const done = await withVolumeImage({ id, title, root }, context, (image, signal) =>
    renameInEditors(all, root, { path, to }, () => changes.move(root, { path, to, image }, signal)),
  );
  if (!done) return undefined;
  await view.show(root, to);
  return { outcome: 'renamed', ...done };
}

async function askName(node: FileNode, context: CommandContext): Promise<string | undefined> {
  const old = posix.basename(node.path);
  const { all } = await context.window.files();
  const entries = all.of(node.root).known(posix.dirname(node.path))?.entries ?? [];
  const existing = new Set(entries.map(({ name }) => name).filter((name) => name !== old));
  const dot = old.lastIndexOf('.');
  const name = await context.ui.input({
    title: l10n.t('Rename {0}', formatName(old)),
    prompt: l10n.t('New name'),
    value: old,
    // Without the extension, as in the Explorer.
    selection: [0, node.isFolder || dot <= 0 ? old.length : dot],
    problem: (text) => fileNameProblem(text, existing),
  });
  return name === old ? undefined : name;
}

/** Duplicates a file or folder of a container or volume, with owners and modes. */
export const duplicateFileCommand = (): PlainCommand<RenameArguments, Changed<'duplicated'>> => ({
  id: 'gantry.files.duplicate',
  schema: SCHEMA,
  selects: 'file',
  accepts: isFile,
  isForOne: true,
  failureTitle: l10n.t('Could not duplicate'),
  run: async ({ to, image, ...args }, context, signal) => {
    const { root, path } = await resolveLocation(args, context, signal);
    const helper = await resolveVolumeImage(root, image, context, signal);
    const changes = await changesOf(context);
    const done = await changes.copy(root, { path, to: checkTarget(to), image: helper }, signal);
    return { outcome: 'duplicated', ...done };
  },
  runInteractive: async (context, [node]) => {
    if (!(node instanceof FileNode)) return undefined;
    const { root, path } = node;
    const { all, view } = await context.window.files();
    const folder = posix.dirname(path);
    const { entries } = await context.ui.progress(
      l10n.t('Reading the files of {0}', root.name),
      'late',
      (signal) => all.of(root).list(folder, { signal }),
    );
    const existing = new Set(entries.map(({ name }) => name));
    const to = joinPath(folder, copyName(posix.basename(path), node.isFolder, existing));
    const changes = await changesOf(context);
    const title = l10n.t('Duplicating {0}', formatName(posix.basename(path)));
    const id = 'gantry.files.duplicate';
    const done = await withVolumeImage({ id, title, root }, context, (image, signal) =>
      changes.copy(root, { path, to, image }, signal),
    );
    if (!done) return undefined;
    await view.show(root, to);
    return { outcome: 'duplicated', ...done };
  },
});

/** Returns a free name for a copy, as the Explorer makes it: `a copy.txt`, `a copy 2.txt`. */
export function copyName(name: string, isFolder: boolean, existing: ReadonlySet<string>): string {
  const dot = isFolder ? -1 : name.lastIndexOf('.');
  const stem = dot > 0 ? name.slice(0, dot) : name;
  const extension = dot > 0 ? name.slice(dot) : '';
  for (let count = 1; ; count += 1) {
    const own = `${stem} copy${count === 1 ? '' : ` ${count}`}${extension}`;
    if (!existing.has(own)) return own;
  }
}

function checkTarget(to: string): string {
  if (to.startsWith('/') && !to.includes('\0')) return normalizePath(to);
  throw new InputError(l10n.t('"{0}" is not an absolute path in the container.', quotable(to)));
}
