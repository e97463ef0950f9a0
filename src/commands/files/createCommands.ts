import * as l10n from '@vscode/l10n';
import { hasReplacement } from '../../engine/archive/hasReplacement.ts';
import { InputError } from '../../engine/errors.ts';
import { FileChanges } from '../../files/changes/fileChanges.ts';
import { PathNode } from '../../files/fileNode.ts';
import { joinPath } from '../../files/fileRoot.ts';
import { oneLine, quotable } from '../../base/plainText.ts';
import type { TreeNode } from '../../views/treeNode.ts';
import type { CommandId } from '../ui/ui.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { formatName } from '../ui/formatNames.ts';
import {
  locationUri,
  resolveLocation,
  type FileLocation,
  type PathArguments,
} from './fileLocation.ts';

interface CreateArguments extends PathArguments {
  readonly mode?: number;
}

interface Created {
  readonly outcome: 'created';
  /** Without links. */
  readonly path: string;
}

/** The fields that select a container or volume, and a path in it. */
export const changeSchema = {
  id: { kind: 'text' },
  volume: { kind: 'text' },
  path: { kind: 'text', required: true },
} as const;

/** Creates a folder of a container or volume. */
export const createFolderCommand = (): PlainCommand<CreateArguments, Created> => ({
  ...creating('gantry.files.createFolder', 'createFolder'),
  failureTitle: l10n.t('Could not create the folder'),
});

/** Creates an empty file of a container or volume. For the user, opens it in an editor. */
export const createFileCommand = (): PlainCommand<CreateArguments, Created> => ({
  ...creating('gantry.files.createFile', 'createFile'),
  failureTitle: l10n.t('Could not create the file'),
});

function creating(
  id: CommandId,
  act: 'createFile' | 'createFolder',
): Omit<PlainCommand<CreateArguments, Created>, 'failureTitle'> {
  return {
    id,
    schema: { ...changeSchema, mode: { kind: 'wholeNumber' } },
    selects: 'file',
    accepts: isPath,
    isForOne: true,
    run: async ({ mode, ...args }, context, signal) => {
      const { root, path } = await resolveLocation(args, context, signal);
      if (mode !== undefined && (mode < 0 || mode > 0o7777))
        throw new InputError(l10n.t('"mode" must be a number from 0 to 4095.'));
      const changes = await changesOf(context);
      const done = await changes[act](root, path, mode, signal);
      return { outcome: 'created', path: done.path };
    },
    runInteractive: async (context, nodes) => {
      const where = folderOf(nodes[0]);
      if (!where) return undefined;
      const name = await askName(context, where, act === 'createFile');
      if (name === undefined) return undefined;
      const path = joinPath(where.path, name);
      const title = l10n.t('Creating {0}', formatName(name));
      const changes = await changesOf(context);
      const done = await context.ui.progress(title, 'late', (signal) =>
        changes[act](where.root, path, undefined, signal),
      );
      const { view } = await context.window.files();
      await view.show(where.root, path);
      if (act === 'createFile')
        await context.ui.openFile(locationUri({ root: where.root, path }, context.ui));
      return { outcome: 'created', path: done.path };
    },
  };
}

/** Returns what changes files. */
export async function changesOf({ window }: CommandContext): Promise<FileChanges> {
  return new FileChanges((await window.files()).all);
}

/** Whether a row is one of the Files view. */
export function isPath(node: TreeNode): boolean {
  return node instanceof PathNode;
}

/** Returns the folder of a row, or the one that contains it. */
function folderOf(node: TreeNode | undefined): FileLocation | undefined {
  return node instanceof PathNode ? { root: node.root, path: node.folder } : undefined;
}

/** Asks for a name, also with the folders on the way to it, as the Explorer does. */
async function askName(
  context: CommandContext,
  { root, path }: FileLocation,
  isFile: boolean,
): Promise<string | undefined> {
  const { all } = await context.window.files();
  const existing = new Set(
    all
      .of(root)
      .known(path)
      ?.entries.map(({ name }) => name),
  );
  const place = l10n.t('{0} in {1}', oneLine(path, 80), formatName(root.name));
  const name = await context.ui.input({
    title: isFile ? l10n.t('New File') : l10n.t('New Folder'),
    prompt: isFile
      ? l10n.t('Name of the file in {0}', place)
      : l10n.t('Name of the folder in {0}', place),
    problem: (text) => fileNameProblem(text.replace(/\/$/, ''), existing, true),
  });
  return name?.replace(/\/$/, '');
}

/** The longest name that file systems have, in bytes. */
const LONGEST_NAME = 255;

/**
 * Returns why a name cannot be used.
 *
 * @param existing names that exist.
 * @param hasFolders whether it may have folders on the way.
 */
export function fileNameProblem(
  name: string,
  existing: ReadonlySet<string>,
  hasFolders = false,
): string | undefined {
  if (name.trim() === '') return l10n.t('Enter a name.');
  if (!hasFolders && name.includes('/')) return l10n.t('A name cannot contain a slash.');
  for (const part of name.split('/')) {
    if (part === '' || part === '.' || part === '..')
      return l10n.t('"{0}" is not a valid file name.', quotable(name));
    if (part.includes('\0') || hasReplacement(part))
      return l10n.t('"{0}" is not a valid file name.', quotable(name));
    if (Buffer.byteLength(part) > LONGEST_NAME)
      return l10n.t('A name cannot be longer than {0} bytes.', LONGEST_NAME);
  }
  return existing.has(name) ? l10n.t('{0} already exists.', formatName(name)) : undefined;
}
