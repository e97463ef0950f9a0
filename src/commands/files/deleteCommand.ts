import * as l10n from '@vscode/l10n';
import { posix } from 'node:path';
import type { Removable } from '../../files/changes/fileChanges.ts';
import { FileNode } from '../../files/fileNode.ts';
import { fileRootKey } from '../../files/fileRoot.ts';
import { oneLine } from '../../base/plainText.ts';
import { formatSize } from '../../views/format.ts';
import type { TreeNode } from '../../views/treeNode.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { formatName, formatNames } from '../ui/formatNames.ts';
import { changeSchema, changesOf } from './createCommands.ts';
import { resolveVolumeImage, withVolumeImage, type ImageArguments } from './withVolumeImage.ts';
import { resolveLocation, type FileLocation, type PathArguments } from './fileLocation.ts';

interface DeleteArguments extends PathArguments, ImageArguments {
  readonly recursive?: boolean;
}

interface Deleted {
  readonly outcome: 'deleted';
  /** Without links on the way to it. */
  readonly path: string;
}

/** Deletes files and folders of containers and volumes for good. */
export const deleteCommand = (): PlainCommand<DeleteArguments, Deleted> => ({
  id: 'gantry.files.delete',
  schema: { ...changeSchema, image: { kind: 'text' }, recursive: { kind: 'boolean' } },
  selects: 'file',
  accepts: isFile,
  failureTitle: l10n.t('Could not delete'),
  run: async ({ image, recursive, ...args }, context, signal) => {
    const { root, path } = await resolveLocation(args, context, signal);
    const helper = await resolveVolumeImage(root, image, context, signal);
    const options = { isRecursive: recursive === true, image: helper };
    const done = await (await changesOf(context)).remove(root, path, options, signal);
    return { outcome: 'deleted', path: done.path };
  },
  runInteractive: async (context, nodes) => {
    const meant = outermost(nodes);
    const found = await look(meant, context);
    const [first] = found;
    if (!first || !(await confirmed(found, context))) return undefined;
    for (const one of found) if (!(await remove(one, context))) return undefined;
    return { outcome: 'deleted', path: first.is.path };
  },
});

/** Whether a row is a file, a link or a folder, but not all files of something. */
export function isFile(node: TreeNode): boolean {
  return node instanceof FileNode;
}

interface Found {
  readonly what: FileLocation;
  readonly is: Removable;
}

/** Leaves out what is in another folder that is meant. */
function outermost(nodes: readonly TreeNode[]): readonly FileLocation[] {
  const all = nodes.flatMap((node) => (node instanceof FileNode ? [node] : []));
  const isBelow = (one: FileNode): boolean =>
    all.some(
      ({ root, path }) =>
        fileRootKey(root) === fileRootKey(one.root) && one.path.startsWith(`${path}/`),
    );
  return all.filter((one) => !isBelow(one)).map(({ root, path }) => ({ root, path }));
}

async function look(
  meant: readonly FileLocation[],
  context: CommandContext,
): Promise<readonly Found[]> {
  const changes = await changesOf(context);
  return context.ui.progress(l10n.t('Reading what is deleted'), 'late', async (signal) => {
    const found: Found[] = [];
    for (const what of meant)
      found.push({ what, is: await changes.lookToRemove(what.root, what.path, signal) });
    return found;
  });
}

async function confirmed(found: readonly Found[], { ui }: CommandContext): Promise<boolean> {
  const names = found.map(({ what }) => posix.basename(what.path));
  const roots = new Map(found.map(({ what }) => [fileRootKey(what.root), what.root.name]));
  const question = l10n.t(
    'Delete {0} in {1}?',
    formatNames(names),
    formatNames([...roots.values()]),
  );
  const elsewhere = found.filter(({ what, is }) => what.path !== is.path);
  const paths = elsewhere.map(({ is }) => l10n.t('It is at {0}.', oneLine(is.path, 200)));
  const detail = [sizeOf(found), ...paths].join('\n\n');
  return ui.confirm(question, detail, l10n.t('Delete Permanently'));
}

/** Says how much is deleted. */
function sizeOf(found: readonly Found[]): string {
  const sum = (of: (is: Removable) => number): number =>
    found.reduce((all, { is }) => all + of(is), 0);
  const files = sum((is) => is.files);
  const folders = sum((is) => is.folders);
  const parts = [
    files === 1 ? l10n.t('1 file') : l10n.t('{0} files', files),
    ...(folders === 0 ? [] : [folders === 1 ? l10n.t('1 folder') : l10n.t('{0} folders', folders)]),
    formatSize(sum((is) => is.bytes)),
  ];
  const list = parts.join(', ');
  return found.every(({ is }) => is.isWhole)
    ? l10n.t('This deletes {0} permanently and cannot be undone.', list)
    : l10n.t('This deletes more than {0} permanently and cannot be undone.', list);
}

async function remove({ what, is }: Found, context: CommandContext): Promise<boolean> {
  const changes = await changesOf(context);
  const { root, path } = what;
  const title = l10n.t('Deleting {0}', formatName(posix.basename(path)));
  const isRecursive = is.folders > 0;
  const done = await withVolumeImage(
    { id: 'gantry.files.delete', title, root },
    context,
    (image, signal) => changes.remove(root, path, { isRecursive, image, seenAt: is.path }, signal),
  );
  return done !== undefined;
}
