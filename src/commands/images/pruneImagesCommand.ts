import * as vscode from 'vscode';
import type { Connection } from '../../engine/http/connection.ts';
import { listContainers } from '../../engine/containers/containers.ts';
import { imageDiskUse, type DiskUse } from '../../engine/system/diskUse.ts';
import { EngineError } from '../../engine/errors.ts';
import { removeImages, type RemovedImages } from '../../engine/images/removeImages.ts';
import { listImages } from '../../engine/images/images.ts';
import { DisposableStore } from '../../lifetime.ts';
import { formatSize } from '../../views/format.ts';
import type { PlainCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { confirm, showInfo, showWarning, withProgress } from '../notifications.ts';
import { formatReclaimableSpace } from './formatReclaimableSpace.ts';
import { pickUnusedImages } from './pickUnusedImages.ts';
import { reclaimableSpace, unusedImages, type UnusedImage } from './unusedImages.ts';
import { keptImageMessage } from './removeImageCommand.ts';
import { errorMessage } from '../errorMessages.ts';
import { formatName, formatNames, formatReasons } from '../displayText.ts';
import { imageDisplayName } from '../targets.ts';

const { l10n } = vscode;

interface PruneArguments {
  /** Also those that have a name. */
  readonly all?: boolean;
  /** Only tells what would go. */
  readonly dryRun?: boolean;
}

/** What went, or would go. */
interface Pruned {
  /** Ids. */
  readonly removed: readonly string[];
  /** Ids of those that could not go after all. */
  readonly kept: readonly string[];
  /** Bytes, where the engine tells. */
  readonly freed?: number;
}

/** Removes images that nothing needs. */
export const pruneImagesCommand: PlainCommand<PruneArguments, Pruned> = {
  id: 'gantry.images.prune',
  schema: { all: { kind: 'boolean' }, dryRun: { kind: 'boolean' } },
  failureTitle: l10n.t('Could not remove the unused images'),
  run: async ({ all, dryRun }, context, signal) => {
    const connection = await context.engine.connect(signal);
    const { images, use } = await findUnused(connection, all !== true, signal);
    if (dryRun === true) {
      const { atLeast } = reclaimableSpace(images);
      const removed = images.map(({ image }) => image.id);
      return { removed, kept: [], ...(atLeast !== undefined && { freed: atLeast }) };
    }
    return pruned(await remove(context, connection, images, use, signal));
  },
  runInteractive: pruneInteractively,
};

/** Lets the user pick which of the unused images to remove. */
export async function pruneInteractively(context: CommandContext): Promise<Pruned | undefined> {
  const found = await withProgress(l10n.t('Looking for unused images'), 'late', async (signal) => {
    const connection = await context.engine.connect(signal);
    return { connection, ...(await findUnused(connection, false, signal)) };
  });
  if (found.images.length === 0) {
    showInfo(l10n.t('Every image is used by a container.'));
    return undefined;
  }
  const title = context.titleOf(l10n.t('Remove Unused Images'));
  const picked = await pickUnusedImages(title, found.images);
  if (!picked || picked.length === 0 || !(await isSure(picked))) return undefined;
  const done = await withProgress(l10n.t('Removing unused images'), 'late', (signal) =>
    remove(context, found.connection, picked, found.use, signal),
  );
  showPruned(picked, done);
  return pruned(done);
}

/** What nothing needs, by what the engine says now and not by what a view shows. */
async function findUnused(
  connection: Connection,
  onlyDangling: boolean,
  signal: AbortSignal,
): Promise<{ readonly images: readonly UnusedImage[]; readonly use: DiskUse | undefined }> {
  const [images, containers, use] = await Promise.all([
    listImages(connection, {}, signal),
    listContainers(connection, { all: true }, signal),
    diskUse(connection, signal),
  ]);
  const used = new Set(containers.map(({ imageId }) => imageId));
  return { images: unusedImages(images, used, { onlyDangling }, use), use };
}

/** Nothing depends on it: an engine that is asked for it by another at this moment may refuse. */
async function diskUse(connection: Connection, signal: AbortSignal): Promise<DiskUse | undefined> {
  try {
    return await imageDiskUse(connection, signal);
  } catch (error) {
    if (error instanceof EngineError) return undefined;
    throw error;
  }
}

function isSure(images: readonly UnusedImage[]): Promise<boolean> {
  const [first] = images;
  const question =
    images.length === 1 && first
      ? l10n.t('Remove {0}?', formatName(imageDisplayName(first.image)))
      : l10n.t('Remove {0} images?', images.length);
  const names = images.map(({ image }) => imageDisplayName(image));
  const lines = [formatReclaimableSpace(reclaimableSpace(images)), formatNames(names, l10n)];
  return confirm(question, lines.join('\n'), l10n.t('Remove'));
}

interface Done extends RemovedImages {
  /** Bytes. */
  readonly freed: number | undefined;
}

async function remove(
  { activity }: CommandContext,
  connection: Connection,
  images: readonly UnusedImage[],
  before: DiskUse | undefined,
  signal: AbortSignal,
): Promise<Done> {
  const busy = new DisposableStore();
  for (const { image } of images) busy.add(activity.begin(image.id, 'removing'));
  try {
    const wanted = images.map(({ image }) => image);
    const done = await removeImages(connection, wanted, signal);
    const after =
      before?.layers === undefined ? undefined : (await diskUse(connection, signal))?.layers;
    const freed = after === undefined ? undefined : Math.max(0, (before?.layers ?? 0) - after);
    return { ...done, freed };
  } finally {
    busy.dispose();
  }
}

function pruned({ removed, kept, freed }: Done): Pruned {
  return { removed, kept: [...kept.keys()], ...(freed !== undefined && { freed }) };
}

function showPruned(images: readonly UnusedImage[], { removed, kept, freed }: Done): void {
  const done =
    freed === undefined
      ? l10n.t('Images removed: {0} of {1}.', removed.length, images.length)
      : l10n.t(
          'Images removed: {0} of {1}, {2} freed.',
          removed.length,
          images.length,
          formatSize(freed),
        );
  if (kept.size === 0) {
    showInfo(done);
    return;
  }
  const byId = new Map(images.map(({ image }) => [image.id, image]));
  const why = [...kept].map(([id, one]) => {
    const image = byId.get(id);
    const name = formatName(image ? imageDisplayName(image) : id);
    const words = one.why === 'refused' ? errorMessage(one.error, l10n) : keptImageMessage(one);
    return l10n.t('{0}: {1}', name, words);
  });
  showWarning([done, formatReasons(why, l10n)].join(' '));
}
