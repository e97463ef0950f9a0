import { lstat } from 'node:fs/promises';
import { basename, isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import { PathKindError } from '../../engine/archive/archive.ts';
import { failedWith, InputError } from '../../engine/errors.ts';
import { PathNode } from '../../files/fileNodes.ts';
import { joined } from '../../files/filePlace.ts';
import { uploadPaths } from '../../files/transfer.ts';
import { oneLine } from '../../plainText.ts';
import type { TreeNode } from '../../views/nodes.ts';
import type { PlainCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import {
  placePathOf,
  pathShape,
  placePathOfPerson,
  type PathArguments,
  type PlacePath,
} from './filePlaces.ts';
import { withBytes } from './fileProgress.ts';
import { confirm, showInfo } from '../person.ts';
import { shownName, shownNames } from '../shown.ts';

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
  shape: { ...pathShape, from: { kind: 'texts', required: true }, replace: { kind: 'boolean' } },
  selects: 'container',
  failing: l10n.t('Could not upload'),
  run: async (args, context, signal) => {
    const where = await placePathOf(args, context, signal);
    checkPlace(where);
    await checkSources(args.from);
    const replaced = args.replace === true ? [] : await replacedBy(args.from, where, context);
    if (replaced.length > 0)
      throw new InputError(l10n.t('There is already: {0}', shownNames(replaced, l10n)));
    return upload(args.from, where, context, signal);
  },
  person: async (context, nodes) => {
    const [node] = nodes;
    const where = await placePathOfPerson(context, nodes);
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
    return uploadForPerson(context, from, { ...where, path: folderOf(node, where) });
  },
};

/** Uploads after the person has seen what goes where and what it replaces. Undefined where they leave. */
export async function uploadForPerson(
  context: CommandContext,
  from: readonly string[],
  where: PlacePath,
): Promise<Uploaded | undefined> {
  checkPlace(where);
  await checkSources(from);
  const replaced = await replacedBy(from, where, context);
  const names = shownNames(
    from.map((path) => basename(path)),
    l10n,
    3,
  );
  const target = l10n.t('{0} in {1}', oneLine(where.path, 200), shownName(where.place.name));
  const detail =
    replaced.length === 0
      ? l10n.t('Nothing there is replaced.')
      : l10n.t('Files are replaced, folders are added to: {0}', shownNames(replaced, l10n));
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
        shownNames(added, l10n),
      ),
    );
  }
  const title = l10n.t('Uploading to {0}', target);
  const done = await withBytes(title, (signal, onBytes) =>
    upload(from, where, context, signal, onBytes),
  );
  showInfo(l10n.t('Uploaded {0} to {1}.', names, target));
  return done;
}

/** The folder that a row is, or is in. */
function folderOf(node: TreeNode | undefined, { path }: PlacePath): string {
  return node instanceof PathNode ? node.folder : path;
}

async function upload(
  from: readonly string[],
  { place, path }: PlacePath,
  context: CommandContext,
  signal: AbortSignal,
  onBytes?: (count: number) => void,
): Promise<Uploaded> {
  try {
    const options = onBytes ? { onBytes } : {};
    await uploadPaths(context.files.reach(place), from, path, options, signal);
  } finally {
    // Also after a failure: what was written until then stays.
    context.files.refresh(place);
  }
  return { outcome: 'uploaded' };
}

function checkPlace({ place }: PlacePath): void {
  if (place.kind === 'container') return;
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
  { place, path }: PlacePath,
  context: CommandContext,
): Promise<readonly string[]> {
  const files = context.files.of(place);
  const folder = await files.follow(path);
  if (folder.stat.kind !== 'folder') throw new PathKindError(path, folder.stat.kind);
  const found: string[] = [];
  for (const name of from.map((one) => basename(one))) {
    try {
      await files.stat(joined(path, name));
      found.push(name);
    } catch (error) {
      if (!failedWith(error, 'notFound')) throw error;
    }
  }
  return found;
}
