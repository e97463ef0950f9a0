import { lstat } from 'node:fs/promises';
import { basename, isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import { PathKindError } from '../../engine/archive/archive.ts';
import { failedWith, InputError } from '../../engine/errors.ts';
import { PathNode } from '../../files/fileNode.ts';
import { joinPath } from '../../files/fileRoot.ts';
import { uploadPaths } from '../../files/pathTransfer.ts';
import { oneLine } from '../../plainText.ts';
import type { TreeNode } from '../../views/treeNode.ts';
import type { PlainCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import {
  resolveLocation,
  pathSchema,
  pickLocation,
  type PathArguments,
  type FileLocation,
} from './fileLocation.ts';
import { withByteCount } from './withByteProgress.ts';
import { confirm, showInfo } from '../notifications.ts';
import { formatName, formatNames } from '../displayText.ts';

const { l10n } = vscode;

interface UploadArguments extends PathArguments {
  readonly from: readonly string[];
  readonly replace?: boolean;
}

interface Uploaded {
  readonly outcome: 'uploaded';
}

/** Writes files and folders of this machine into a folder of a container. */
export const uploadCommand: PlainCommand<UploadArguments, Uploaded> = {
  id: 'gantry.files.upload',
  schema: { ...pathSchema, from: { kind: 'texts', required: true }, replace: { kind: 'boolean' } },
  selects: 'container',
  failureTitle: l10n.t('Could not upload'),
  run: async (args, context, signal) => {
    const where = await resolveLocation(args, context, signal);
    checkRoot(where);
    await checkSources(args.from);
    const replaced = args.replace === true ? [] : await replacedBy(args.from, where, context);
    if (replaced.length > 0)
      throw new InputError(l10n.t('There is already: {0}', formatNames(replaced, l10n)));
    return upload(args.from, where, context, signal);
  },
  runInteractive: async (context, nodes) => {
    const [node] = nodes;
    const where = await pickLocation(context, nodes);
    if (!where) return undefined;
    const chosen = await vscode.window.showOpenDialog({
      canSelectMany: true,
      canSelectFolders: true,
      canSelectFiles: true,
      openLabel: l10n.t('Upload'),
    });
    const from =
      chosen?.filter(({ scheme }) => scheme === 'file').map(({ fsPath }) => fsPath) ?? [];
    if (from.length === 0) return undefined;
    return uploadInteractively(context, from, { ...where, path: folderOf(node, where) });
  },
};

/** Uploads after the person has seen what goes where and what it replaces. Undefined where they leave. */
export async function uploadInteractively(
  context: CommandContext,
  from: readonly string[],
  where: FileLocation,
): Promise<Uploaded | undefined> {
  checkRoot(where);
  await checkSources(from);
  const replaced = await replacedBy(from, where, context);
  const names = formatNames(
    from.map((path) => basename(path)),
    l10n,
    3,
  );
  const target = l10n.t('{0} in {1}', oneLine(where.path, 200), formatName(where.root.name));
  const detail =
    replaced.length === 0
      ? l10n.t('Nothing there is replaced.')
      : l10n.t('Files are replaced, folders are added to: {0}', formatNames(replaced, l10n));
  const isAgreed = await confirm(
    l10n.t('Upload {0} to {1}?', names, target),
    detail,
    replaced.length === 0 ? l10n.t('Upload') : l10n.t('Upload and Replace'),
  );
  if (!isAgreed) return undefined;
  const added = (await replacedBy(from, where, context)).filter((one) => !replaced.includes(one));
  if (added.length > 0) {
    throw new InputError(
      l10n.t(
        'These were created in the meantime: {0}. Nothing was uploaded.',
        formatNames(added, l10n),
      ),
    );
  }
  const title = l10n.t('Uploading to {0}', target);
  const done = await withByteCount(title, (signal, onBytes) =>
    upload(from, where, context, signal, onBytes),
  );
  showInfo(l10n.t('Uploaded {0} to {1}.', names, target));
  return done;
}

/** The folder that a row is, or is in. */
function folderOf(node: TreeNode | undefined, { path }: FileLocation): string {
  return node instanceof PathNode ? node.folder : path;
}

async function upload(
  from: readonly string[],
  { root, path }: FileLocation,
  context: CommandContext,
  signal: AbortSignal,
  onBytes?: (count: number) => void,
): Promise<Uploaded> {
  try {
    const options = onBytes ? { onBytes } : {};
    await uploadPaths(context.files.access(root), from, path, options, signal);
  } finally {
    // Also after a failure: what was written until then stays.
    context.files.refresh(root);
  }
  return { outcome: 'uploaded' };
}

function checkRoot({ root }: FileLocation): void {
  if (root.kind === 'container') return;
  throw new InputError(l10n.t('An image cannot be changed. Create a container of it first.'));
}

async function checkSources(from: readonly string[]): Promise<void> {
  for (const path of from) {
    const stat = isAbsolute(path) ? await lstat(path).catch(() => undefined) : undefined;
    if (!stat) throw new InputError(l10n.t('There is no file "{0}" on this machine.', path));
  }
  const names = new Set(from.map((path) => basename(path)));
  if (from.length === 0 || names.size < from.length || names.has(''))
    throw new InputError(l10n.t('Each file to upload needs a name of its own.'));
}

/** Names of those files that are there already. */
async function replacedBy(
  from: readonly string[],
  { root, path }: FileLocation,
  context: CommandContext,
): Promise<readonly string[]> {
  const files = context.files.of(root);
  const folder = await files.follow(path);
  if (folder.stat.kind !== 'folder') throw new PathKindError(path, folder.stat.kind);
  const found: string[] = [];
  for (const name of from.map((one) => basename(one))) {
    try {
      await files.stat(joinPath(path, name));
      found.push(name);
    } catch (error) {
      if (!failedWith(error, 'notFound')) throw error;
    }
  }
  return found;
}
