import * as vscode from 'vscode';
import { archiveUpload } from '../../files/archiveUpload.ts';
import { InputError } from '../../engine/errors.ts';
import {
  ARCHIVE_TYPE,
  importImage,
  importTarget,
  loadImages,
} from '../../engine/images/imageArchive.ts';
import { inspectImage, listImages } from '../../engine/images/images.ts';
import type { Image } from '../../engine/model.ts';
import { checkTagOwner, movedTags, type MovedTag } from '../../review/imageByTag.ts';
import { shortId } from '../../views/format.ts';
import { withFileErrors, checkArchivePath, archivePath } from './archiveFiles.ts';
import { withByteProgress, type ByteProgress } from '../files/withByteProgress.ts';
import type { PlainCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { showImportForm, type ImportDraft } from './showImportForm.ts';
import { showInfo, showWarning } from '../notifications.ts';
import { formatName, formatNames } from '../displayText.ts';

const { l10n } = vscode;

/** Endings of archives that engines take; what they are is seen by what is in them. */
const ENDINGS = ['tar', 'gz', 'tgz', 'bz2', 'xz', 'zst'];

interface LoadArguments {
  readonly path?: string;
  readonly paths?: readonly string[];
}

interface Loaded {
  /** References; of an image without one its id. */
  readonly images: readonly string[];
}

/** What a load did to the images that were there before. */
interface LoadedOver extends Loaded {
  readonly moved: readonly MovedTag[];
}

/** Loads the images of one or several archives. */
export const loadImagesCommand: PlainCommand<LoadArguments, Loaded> = {
  id: 'gantry.images.load',
  schema: { path: { kind: 'text' }, paths: { kind: 'texts' } },
  failureTitle: l10n.t('Could not load the images'),
  run: async (args, context, signal) => {
    const loaded = new Set<string>();
    await loadAll(context, pathsOf(args), loaded, signal);
    return { images: [...loaded] };
  },
  runInteractive: async (context) => {
    const uris = await askArchives(l10n.t('Load Images from Archives'), true);
    return uris.length === 0 ? undefined : loadInteractively(context, uris.map(archivePath));
  },
};

/** Loads archives for a person: shows how far it is, says what came, and selects the first of it. */
export async function loadInteractively(
  context: CommandContext,
  paths: readonly string[],
): Promise<Loaded> {
  const { images, moved } = await withByteProgress(
    paths.length === 1
      ? l10n.t('Loading {0}', formatName(paths[0] ?? ''))
      : l10n.t('Loading {0} archives', paths.length),
    (signal, tell) => loadTellingMoved(context, paths, signal, tell),
  );
  await revealLoaded(context, images);
  showInfo(loadedMessage(images, moved));
  return { images };
}

function loadedMessage(images: readonly string[], moved: readonly MovedTag[]): string {
  if (images.length === 0) return l10n.t('The engine did not say what it loaded.');
  const names = images.map((name) => name.replace(/^sha256:([0-9a-f]{12}).*$/, '$1'));
  const words = l10n.t('Loaded {0}.', formatNames(names, l10n));
  return moved.length === 0 ? words : `${words} ${movedTagsMessage(moved)}`;
}

function movedTagsMessage(moved: readonly MovedTag[]): string {
  const from = moved.map(({ tag, id }) => `${tag} (${shortId(id)})`);
  return l10n.t(
    'Tags moved from other images, which are kept by their ID: {0}.',
    formatNames(from, l10n, 3),
  );
}

/**
 * An engine says which tags an archive has only when it has moved them. That removes no image, so it is not asked
 * about, but told, also if a later archive fails.
 */
async function loadTellingMoved(
  context: CommandContext,
  paths: readonly string[],
  signal: AbortSignal,
  tell: (moved: ByteProgress) => void,
): Promise<LoadedOver> {
  const connection = await context.engine.connect(signal);
  // The load does not depend on the list. Tags that moved are listed even if the user has cancelled since.
  const list = (until?: AbortSignal): Promise<readonly Image[]> =>
    listImages(connection, {}, until).catch(() => []);
  const before = await list(signal);
  const loaded = new Set<string>();
  const findMoved = async (): Promise<readonly MovedTag[]> =>
    movedTags([...loaded], before, await list());
  try {
    await loadAll(context, paths, loaded, signal, tell);
  } catch (error) {
    const moved = loaded.size === 0 ? [] : await findMoved();
    if (moved.length > 0) showWarning(movedTagsMessage(moved));
    throw error;
  }
  return { images: [...loaded], moved: await findMoved() };
}

async function revealLoaded(
  { engine, reveal }: CommandContext,
  images: readonly string[],
): Promise<void> {
  const [first] = images;
  if (first === undefined) return;
  // Loaded it is all the same.
  const found = await inspectImage(await engine.connect(), first).catch(() => undefined);
  if (found) reveal(found.id, first);
}

function pathsOf({ path, paths }: LoadArguments): readonly string[] {
  const { id } = loadImagesCommand;
  if ((path === undefined) === (paths === undefined)) {
    throw new InputError(l10n.t('{0} needs either "path" or "paths".', id));
  }
  if (paths?.length === 0) throw new InputError(l10n.t('{0}: "paths" is empty.', id));
  return (paths ?? [path ?? '']).map(checkArchivePath);
}

/**
 * Loads one archive after the other, because an engine works on one at a time.
 *
 * @param loaded gets the images of each archive as soon as that is loaded.
 */
async function loadAll(
  context: CommandContext,
  paths: readonly string[],
  loaded: Set<string>,
  signal: AbortSignal,
  tell?: (moved: ByteProgress) => void,
): Promise<void> {
  for (const path of paths) {
    const found = await withFileErrors(path, async () => {
      const onBytes = (bytes: number): void => tell?.({ bytes, total: upload.size });
      const upload = await archiveUpload(path, ARCHIVE_TYPE, onBytes);
      return loadImages(await context.engine.connect(signal), upload, signal);
    });
    for (const image of found.images) loaded.add(image);
  }
}

interface ImportArguments extends ImportDraft {
  readonly path: string;
}

/** Makes an image of the files in an archive. */
export const importImageCommand: PlainCommand<ImportArguments, { readonly imageId: string }> = {
  id: 'gantry.images.import',
  schema: {
    path: { kind: 'text', required: true },
    repository: { kind: 'text', required: true },
    tag: { kind: 'text' },
    message: { kind: 'text' },
    changes: { kind: 'texts' },
  },
  failureTitle: l10n.t('Could not import the image'),
  run: (args, context, signal) => doImport(context, checkArchivePath(args.path), args, signal),
  runInteractive: async (context) => {
    const [uri] = await askArchives(l10n.t('Import a File System as an Image'), false);
    if (!uri) return undefined;
    const path = archivePath(uri);
    const answer = await showImportForm(path, context);
    if (!answer) return undefined;
    const imported = await withByteProgress(
      l10n.t('Importing {0}', formatName(path)),
      (signal, tell) => doImport(context, path, answer, signal, tell),
    );
    context.reveal(imported.imageId, importTarget(answer, l10n));
    return imported;
  },
};

async function doImport(
  context: CommandContext,
  path: string,
  { repository, tag, message, changes, seen }: ImportDraft,
  signal: AbortSignal,
  tell?: (moved: ByteProgress) => void,
): Promise<{ readonly imageId: string }> {
  const request = {
    repository,
    ...(tag !== undefined && { tag }),
    ...(message !== undefined && { message }),
    ...(changes !== undefined && { changes }),
  };
  const name = importTarget(request, l10n);
  return withFileErrors(path, async () => {
    const onBytes = (bytes: number): void => tell?.({ bytes, total: upload.size });
    const upload = await archiveUpload(path, ARCHIVE_TYPE, onBytes);
    const connection = await context.engine.connect(signal);
    if (seen) await checkTagOwner(connection, name, seen, undefined, signal);
    return importImage(connection, request, upload, l10n, signal);
  });
}

async function askArchives(title: string, canSelectMany: boolean): Promise<readonly vscode.Uri[]> {
  const uris = await vscode.window.showOpenDialog({
    title,
    canSelectMany,
    filters: { [l10n.t('Archives')]: ENDINGS, [l10n.t('All Files')]: ['*'] },
  });
  return uris ?? [];
}
