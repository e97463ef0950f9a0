import type { FilesView } from '../../files/filesView.ts';
import type { EngineChoice } from '../frame/engineChoice.ts';
import { failureMessage } from '../ui/errorMessage.ts';
import { isCancellation, type Disposable } from '../../base/lifetime.ts';
import * as l10n from '@vscode/l10n';
import { lstat } from 'node:fs/promises';
import { basename, isAbsolute } from 'node:path';
import { InputError, unlessNotFound } from '../../engine/errors.ts';
import { PathNode } from '../../files/fileNode.ts';
import { uploadPaths } from '../../files/uploadPaths.ts';
import { oneLine } from '../../base/plainText.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { resolveLocation, locationOfNode, type FileLocation } from './fileLocation.ts';
import { withByteCount } from './withByteProgress.ts';
import { formatName, formatNames } from '../ui/formatNames.ts';
import { pickRow } from '../frame/pickTarget.ts';
import type { Ui } from '../ui/ui.ts';
import { followPath, statPath } from '../../engine/archive/archive.ts';
import { PathKindError } from '../../engine/archive/pathStat.ts';
import { capabilitiesOf } from '../../engine/capabilities/capabilities.ts';
import { containerMounts } from '../../engine/containers/containerDetails.ts';
import { mountAt } from '../../engine/files/mountAt.ts';
import { inspectContainer } from '../../engine/containers/containers.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { checkSeen, listUnseenMounts } from '../../engine/volumes/unseenMounts.ts';
import { joinPath, normalizePath } from '../../files/fileRoot.ts';

interface UploadArguments {
  /** The ID or name of a container. */
  readonly id?: string;
  /** The name of a volume. */
  readonly volume?: string;
  /** The absolute path of a folder in the container or volume. */
  readonly path: string;
  readonly from: readonly string[];
  readonly replace?: boolean;
}

interface Uploaded {
  readonly outcome: 'uploaded';
  /** The local paths of sockets and devices, which are skipped; absent if there are none. */
  readonly leftOut?: readonly string[];
}

/** Uploads local files and folders to a folder of a container or volume. */
export const uploadCommand = (ui: Ui): PlainCommand<UploadArguments, Uploaded> => ({
  id: 'gantry.files.upload',
  // An image cannot be changed.
  schema: {
    id: { kind: 'text' },
    volume: { kind: 'text' },
    path: { kind: 'text', required: true },
    from: { kind: 'texts', required: true },
    replace: { kind: 'boolean' },
  },
  selects: ['container', 'volume'],
  isForOne: true,
  pick: pickRow('gantry.files.upload', 'container'),
  failureTitle: l10n.t('Could not upload'),
  run: async (args, context, signal) => {
    const where = await resolveLocation(args, context, signal);
    await checkSources(args.from);
    const names = args.replace === true ? [] : namesOf(args.from);
    const replaced = await checkUploadFolder(where, names, context, signal);
    if (replaced.length > 0)
      throw new InputError(l10n.t('Already exists: {0}', formatNames(replaced)));
    return upload(args.from, where, context, signal);
  },
  runInteractive: async (context, nodes) => {
    const [node] = nodes;
    const where = locationOfNode(nodes[0]);
    if (!where) return undefined;
    // The folder of the row, or the one that contains it.
    const path = node instanceof PathNode ? node.folder : where.path;
    const chosen = await ui.openDialog({
      title: l10n.t('Upload to {0} in {1}', oneLine(path, 80), formatName(where.root.name)),
      canSelect: 'both',
      isMany: true,
      button: l10n.t('Upload'),
    });
    const from = chosen.filter(({ scheme }) => scheme === 'file').map(({ fsPath }) => fsPath);
    if (from.length === 0) return undefined;
    return uploadInteractively(context, from, { root: where.root, path });
  },
});

/**
 * Uploads after the user confirmed the target and the replaced files. Resolves to undefined if the user
 * cancels.
 *
 * @throws InputError if files were created after the confirmation.
 */
export async function uploadInteractively(
  context: CommandContext,
  from: readonly string[],
  where: FileLocation,
): Promise<Uploaded | undefined> {
  checkRoot(where);
  await checkSources(from);
  const target = l10n.t('{0} in {1}', oneLine(where.path, 200), formatName(where.root.name));
  const check = (): Promise<readonly string[]> =>
    context.ui.progress(l10n.t('Checking {0}', target), 'late', (signal) =>
      checkUploadFolder(where, namesOf(from), context, signal),
    );
  const replaced = await check();
  const names = formatNames(namesOf(from), 3);
  const question = l10n.t('Upload {0} to {1}?', names, target);
  if (!(await confirmReplaced(context.ui, question, replaced))) return undefined;
  const added = (await check()).filter((one) => !replaced.includes(one));
  if (added.length > 0) {
    throw new InputError(
      l10n.t('These were created in the meantime: {0}. Nothing was uploaded.', formatNames(added)),
    );
  }
  const title = l10n.t('Uploading to {0}', target);
  const done = await withByteCount(context.ui, title, (signal, onBytes) =>
    upload(from, where, context, signal, onBytes),
  );
  const { leftOut = [] } = done;
  if (leftOut.length === 0) context.ui.info(l10n.t('Uploaded {0} to {1}.', names, target));
  else {
    const skipped = formatNames(leftOut, 3);
    context.ui.warn(
      l10n.t('Uploaded {0} to {1}. Skipped sockets and devices: {2}.', names, target, skipped),
    );
  }
  return done;
}

function confirmReplaced(ui: Ui, question: string, replaced: readonly string[]): Promise<boolean> {
  if (replaced.length === 0)
    return ui.confirm(question, l10n.t('No files will be replaced.'), l10n.t('Upload'));
  const detail = l10n.t(
    'Existing files are replaced, existing folders are merged: {0}',
    formatNames(replaced),
  );
  return ui.confirm(question, detail, l10n.t('Upload and Replace'));
}

async function upload(
  from: readonly string[],
  { root, path }: FileLocation,
  context: CommandContext,
  signal: AbortSignal,
  onBytes?: (count: number) => void,
): Promise<Uploaded> {
  const { all } = await context.window.files();
  try {
    using _note = context.window.work?.begin({ kind: 'upload', name: `${root.name}:${path}` });
    const leftOut = await uploadPaths(all.access(root), from, path, { onBytes }, signal);
    return { outcome: 'uploaded', ...(leftOut.length > 0 && { leftOut }) };
  } finally {
    // Also after a failure, because files may have been written before it.
    all.refresh(root);
  }
}

function checkRoot({ root }: FileLocation): void {
  if (root.kind !== 'image') return;
  throw new InputError(l10n.t('An image cannot be changed. Create a container from it first.'));
}

async function checkSources(from: readonly string[]): Promise<void> {
  for (const path of from) {
    const stat = isAbsolute(path) ? await lstat(path).catch(() => undefined) : undefined;
    if (!stat) throw new InputError(l10n.t('File "{0}" not found on this machine.', path));
  }
  const names = new Set(namesOf(from));
  if (from.length === 0 || names.size < from.length || names.has(''))
    throw new InputError(l10n.t('The files to upload must have different names.'));
}

function namesOf(paths: readonly string[]): readonly string[] {
  return paths.map((path) => basename(path));
}

/**
 * Checks that a container would see what is uploaded to a folder. Resolves to those of the names that exist in it.
 *
 * @throws InputError if the engine would write under a mount in memory; VolumeUnmountedError; PathKindError if it is
 * not a folder; EngineError.
 */
async function checkUploadFolder(
  { root, path }: FileLocation,
  names: readonly string[],
  { window: { files } }: CommandContext,
  signal: AbortSignal,
): Promise<readonly string[]> {
  // Each access to a volume creates a container.
  if (root.kind === 'volume' && names.length === 0) return [];
  const { all } = await files();
  return all.access(root)(async (connection, archive) => {
    const folder = await followPath(connection, archive, path, signal);
    if (folder.stat.kind !== 'folder') throw new PathKindError(path, folder.stat.kind);
    checkSeen(await listUnseenMounts(connection, archive, signal), folder.path);
    if (root.kind === 'container') await checkMounts(connection, root.id, folder.path, signal);
    const found: string[] = [];
    for (const name of names) {
      const there = statPath(connection, archive, joinPath(folder.path, name), signal);
      if (await unlessNotFound(there)) found.push(name);
    }
    return found;
  }, signal);
}

/** @param folder a path without links. */
async function checkMounts(
  connection: Connection,
  id: string,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  if (capabilitiesOf(await connection.info(signal)).writesToTmpfs) return;
  const mounts = containerMounts(await inspectContainer(connection, id, signal));
  const mount = mountAt(normalizePath(folder), mounts);
  if (mount?.type !== 'tmpfs') return;
  throw new InputError(
    l10n.t(
      '{0} is a mount in memory that the engine cannot upload to. Use another folder or a volume.',
      oneLine(normalizePath(mount.target), 200),
    ),
  );
}

/** Uploads files that are dropped on the Files view. */
export function uploadDropped(ui: Ui, choice: EngineChoice, view: FilesView): Disposable {
  return view.onDidDrop(({ node, uris }) => {
    const context = choice.ofEngine(node.engine);
    if (!context) return;
    const from = uris.map(({ fsPath }) => fsPath);
    const where = { root: node.root, path: node.folder };
    uploadInteractively(context, from, where).catch((error: unknown) => {
      if (isCancellation(error)) return;
      ui.error(failureMessage(uploadCommand(ui).failureTitle, error));
    });
  });
}
