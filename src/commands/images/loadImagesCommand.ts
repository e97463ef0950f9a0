import * as l10n from '@vscode/l10n';
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
import { withFileErrors, checkArchivePath, archivePath } from '../files/archiveFiles.ts';
import { withByteProgress, type OnBytes } from '../files/withByteProgress.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { showImportForm, type ImportDraft } from './showImportForm.ts';
import { formatName, formatNames } from '../ui/formatNames.ts';
import type { FileUri, Ui } from '../ui/ui.ts';

/** Extensions of archives that engines accept. Engines detect the format by the content. */
const ENDINGS = ['tar', 'gz', 'tgz', 'bz2', 'xz', 'zst'];

interface LoadArguments {
  readonly path?: string;
  readonly paths?: readonly string[];
}

interface Loaded {
  /** References; the ID of an image without one. */
  readonly images: readonly string[];
}

/** Loads the images of one or more archives. */
export const loadImagesCommand = (ui: Ui): PlainCommand<LoadArguments, Loaded> => ({
  id: 'gantry.images.load',
  schema: { path: { kind: 'text' }, paths: { kind: 'texts' } },
  failureTitle: l10n.t('Could not load the images'),
  run: async (args, context, signal) => {
    const loaded = new Set<string>();
    await loadAll(context, pathsOf(ui, args), loaded, signal);
    return { images: [...loaded] };
  },
  runInteractive: async (context) => {
    const uris = await askArchives(ui, l10n.t('Load Images from Archives'), true);
    return uris.length === 0
      ? undefined
      : loadInteractively(
          context,
          uris.map((uri) => archivePath(uri)),
        );
  },
});

/** Loads archives for the user: shows progress and the result, and selects the first loaded image. */
export async function loadInteractively(
  context: CommandContext,
  paths: readonly string[],
): Promise<Loaded> {
  const { images, moved } = await withByteProgress(
    context.ui,
    paths.length === 1
      ? l10n.t('Loading {0}', formatName(paths[0] ?? ''))
      : l10n.t('Loading {0} archives', paths.length),
    (signal, onBytes) => loadReportingMoved(context, paths, signal, onBytes),
  );
  const [first] = images;
  if (first !== undefined) {
    // The image is loaded even if the inspect fails, or the connection is lost before it.
    const found = await context.engine
      .connect()
      .then((connection) => inspectImage(connection, first))
      .catch(() => undefined);
    if (found) context.reveal(found.id, first);
  }
  context.ui.info(loadedMessage(images, moved));
  return { images };
}

function loadedMessage(images: readonly string[], moved: readonly MovedTag[]): string {
  if (images.length === 0) return l10n.t('The engine did not report which images it loaded.');
  const names = images.map((name) => name.replace(/^sha256:([0-9a-f]{12}).*$/, '$1'));
  const words = l10n.t('Loaded {0}.', formatNames(names, 12));
  return moved.length === 0 ? words : `${words} ${movedTagsMessage(moved)}`;
}

function movedTagsMessage(moved: readonly MovedTag[]): string {
  const from = moved.map(({ tag, id }) => `${tag} (${shortId(id)})`);
  return l10n.t('Tags moved from other images, which remain: {0}.', formatNames(from, 3));
}

/**
 * Loads archives and reports which tags have moved. An engine reports which tags an archive has only after it has
 * moved them. No image is removed by that, so there is no confirmation, but a message, even if a later
 * archive fails.
 */
async function loadReportingMoved(
  context: CommandContext,
  paths: readonly string[],
  signal: AbortSignal,
  onBytes: OnBytes,
): Promise<Loaded & { readonly moved: readonly MovedTag[] }> {
  const connection = await context.engine.connect(signal);
  // A failed list does not fail the load. Moved tags are listed even if the user has canceled in the meantime.
  const list = (until?: AbortSignal): Promise<readonly Image[]> =>
    listImages(connection, {}, until).catch(() => []);
  const before = await list(signal);
  const loaded = new Set<string>();
  const findMoved = async (): Promise<readonly MovedTag[]> =>
    movedTags([...loaded], before, await list());
  try {
    await loadAll(context, paths, loaded, signal, onBytes);
  } catch (error) {
    const moved = loaded.size === 0 ? [] : await findMoved();
    if (moved.length > 0) context.ui.warn(movedTagsMessage(moved));
    throw error;
  }
  return { images: [...loaded], moved: await findMoved() };
}

function pathsOf(ui: Ui, { path, paths }: LoadArguments): readonly string[] {
  const { id } = loadImagesCommand(ui);
  if ((path === undefined) === (paths === undefined)) {
    throw new InputError(l10n.t('{0}: set either "path" or "paths".', id));
  }
  if (paths?.length === 0) throw new InputError(l10n.t('{0}: "paths" is empty.', id));
  return (paths ?? [path ?? '']).map((path) => checkArchivePath(path));
}

/**
 * Loads one archive after the other, because an engine loads only one at a time.
 *
 * @param loaded gets the images of each archive as soon as it is loaded.
 */
async function loadAll(
  context: CommandContext,
  paths: readonly string[],
  loaded: Set<string>,
  signal: AbortSignal,
  onBytes?: OnBytes,
): Promise<void> {
  for (const path of paths) {
    const found = await withFileErrors(path, async () => {
      const upload = await archiveUpload(path, ARCHIVE_TYPE, onBytes);
      const connection = await context.engine.connect(signal);
      using _note = context.window.work?.begin({ kind: 'load', name: path });
      return await loadImages(connection, upload, signal);
    });
    for (const image of found.images) loaded.add(image);
  }
}

interface ImportArguments extends ImportDraft {
  readonly path: string;
}

/** Creates an image from the files in a tarball. */
export const importImageCommand = (
  ui: Ui,
): PlainCommand<ImportArguments, { readonly imageId: string }> => ({
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
    const [uri] = await askArchives(ui, l10n.t('Import Image from Tarball'), false);
    if (!uri) return undefined;
    const path = archivePath(uri);
    const answer = await showImportForm(path, context);
    if (!answer) return undefined;
    const imported = await withByteProgress(
      ui,
      l10n.t('Importing {0}', formatName(path)),
      (signal, onBytes) => doImport(context, path, answer, signal, onBytes),
    );
    context.reveal(imported.imageId, importTarget(answer));
    return imported;
  },
});

async function doImport(
  context: CommandContext,
  path: string,
  draft: ImportDraft,
  signal: AbortSignal,
  onBytes?: OnBytes,
): Promise<{ readonly imageId: string }> {
  const { seen } = draft;
  const name = importTarget(draft);
  return withFileErrors(path, async () => {
    const upload = await archiveUpload(path, ARCHIVE_TYPE, onBytes);
    const connection = await context.engine.connect(signal);
    if (seen) await checkTagOwner(connection, name, seen, undefined, signal);
    using _note = context.window.work?.begin({ kind: 'load', name: path });
    return await importImage(connection, draft, upload, signal);
  });
}

function askArchives(ui: Ui, title: string, isMany: boolean): Promise<readonly FileUri[]> {
  const filters = { [l10n.t('Archives')]: ENDINGS, [l10n.t('All Files')]: ['*'] };
  return ui.openDialog({ title, isMany, filters });
}
