import * as l10n from '@vscode/l10n';
import { InputError } from '../../engine/errors.ts';
import { NoToolsError } from '../../engine/files/fileTools.ts';
import { temporaryImageOwner } from '../../engine/images/temporaryMarks.ts';
import { resolveImage } from '../../engine/system/resolveTarget.ts';
import type { FileRoot } from '../../files/fileRoot.ts';
import { isCancellation } from '../../base/lifetime.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { knownImages } from '../frame/targets.ts';
import { errorMessage } from '../ui/errorMessage.ts';
import { formatItemText, formatName } from '../ui/formatNames.ts';
import type { CommandId } from '../ui/ui.ts';

/**
 * Runs work on files, with Cancel. If no running container can change a volume, offers to start a local image for it.
 *
 * @param act called with an image of the user's choice, at the second time.
 * @returns undefined if the user cancels.
 * @throws errors of the work.
 */
export async function withVolumeImage<T>(
  { id, title, root }: { readonly id: CommandId; readonly title: string; readonly root: FileRoot },
  context: CommandContext,
  act: (image: string | undefined, signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const { ui } = context;
  const run = (image?: string): Promise<T> =>
    ui.progress(title, 'late', (signal) => act(image, signal));
  try {
    return await run();
  } catch (error) {
    if (isCancellation(error) && root.kind === 'container')
      ui.warn(l10n.t('The program that was started may still run in {0}.', formatName(root.name)));
    if (!(error instanceof NoToolsError) || error.why !== 'volume') throw error;
    const image = await askImage(id, root, error, context);
    return image === undefined ? undefined : run(image);
  }
}

async function askImage(
  id: CommandId,
  { name }: FileRoot,
  error: NoToolsError,
  context: CommandContext,
): Promise<string | undefined> {
  const { ui } = context;
  const detail = l10n.t(
    'It runs as root on this volume only, without network, and is removed afterwards. Nothing is pulled.',
  );
  const isWanted = await ui.confirm(
    l10n.t('Start a local image to change the files of {0}?', formatName(name)),
    `${errorMessage(error)}\n\n${detail}`,
    l10n.t('Select Image...'),
  );
  if (!isWanted) return undefined;
  const images = await ui.progress(l10n.t('Loading images'), 'late', (signal) =>
    knownImages(context, signal),
  );
  const items = images
    .filter((image) => temporaryImageOwner(image) === undefined)
    .flatMap(({ tags, id: imageId }) =>
      tags.map((tag) => ({ label: formatItemText(tag), imageId })),
    );
  if (items.length === 0) {
    ui.info(l10n.t('The engine has no image. Pull one that has the program, such as busybox.'));
    return undefined;
  }
  const placeholder = l10n.t('Select an image that has the program');
  return (await ui.pick({ title: ui.commandTitle(id), placeholder, items }))?.imageId;
}

/** The field of an argument that names an image. */
export interface ImageArguments {
  /** A local image whose program changes a volume that no running container can change. */
  readonly image?: string;
}

/** Returns the ID of the image of an argument. @throws InputError if it is not for a volume; as `resolveImage`. */
export async function resolveVolumeImage(
  root: FileRoot,
  image: string | undefined,
  { engine }: CommandContext,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (image === undefined) return undefined;
  if (root.kind !== 'volume') throw new InputError(l10n.t('"image" is only for a "volume".'));
  return (await resolveImage(await engine.connect(signal), image, signal)).id;
}
