import type { Connection } from '../../engine/http/connection.ts';
import { imageDiskUse, type DiskUse } from '../../engine/system/system.ts';
import { EngineError } from '../../engine/errors.ts';
import { removeImages, type RemovedImages } from '../../engine/images/removeImages.ts';
import { DisposableStore } from '../../lifetime.ts';
import { formatSize } from '../../views/format.ts';
import type { PlainCommand } from '../command.ts';
import type { CommandContext } from '../commandContext.ts';
import {
  findUnusedImages,
  formatReclaimableSpace,
  reclaimableSpace,
  type UnusedImage,
} from './unusedImages.ts';
import { pickUnusedImages } from './pickUnusedImages.ts';
import { keptImageMessage } from './removeImageCommand.ts';
import { errorMessage } from '../errorMessage.ts';
import { formatName, formatNames, formatReasons } from '../formatNames.ts';
import { imageDisplayName } from '../targets.ts';
import type { Ui } from '../ui.ts';

interface PruneArguments {
  /** Also remove tagged images. */
  readonly all?: boolean;
  /** Remove nothing; return what would be removed. */
  readonly dryRun?: boolean;
}

/** The images that were removed or would be removed. */
interface Pruned {
  /** IDs. */
  readonly removed: readonly string[];
  /** IDs of the images that could not be removed. */
  readonly kept: readonly string[];
  /** In bytes; absent if the engine does not tell. */
  readonly freed?: number;
}

/** Removes unused images. */
export const pruneImagesCommand = ({ l10n }: Ui): PlainCommand<PruneArguments, Pruned> => ({
  id: 'gantry.images.prune',
  schema: { all: { kind: 'boolean' }, dryRun: { kind: 'boolean' } },
  failureTitle: l10n.t('Could not prune images'),
  run: async ({ all, dryRun }, context, signal) => {
    const connection = await context.engine.connect(signal);
    const { unused, use } = await findUnused(connection, all !== true, signal);
    if (dryRun === true) {
      const { atLeast } = reclaimableSpace(unused);
      const removed = unused.map(({ image }) => image.id);
      return { removed, kept: [], ...(atLeast !== undefined && { freed: atLeast }) };
    }
    return pruned(await remove(context, connection, unused, use, signal));
  },
  runInteractive: pruneInteractively,
});

/** Lets the user select which of the unused images to remove. */
export async function pruneInteractively(context: CommandContext): Promise<Pruned | undefined> {
  const { l10n } = context.ui;
  const found = await context.ui.progress(
    l10n.t('Looking for unused images'),
    'late',
    async (signal) => {
      const connection = await context.engine.connect(signal);
      return { connection, ...(await findUnused(connection, false, signal)) };
    },
  );
  if (found.unused.length === 0) {
    context.ui.info(l10n.t('No unused images found.'));
    return undefined;
  }
  const title = context.titleOf(l10n.t('Prune Images'));
  const picked = await pickUnusedImages(context.ui, title, found.unused);
  if (!picked || picked.length === 0 || !(await isSure(context.ui, picked))) return undefined;
  const done = await context.ui.progress(l10n.t('Pruning images'), 'late', (signal) =>
    remove(context, found.connection, picked, found.use, signal),
  );
  showPruned(context.ui, picked, done);
  return pruned(done);
}

function findUnused(connection: Connection, onlyDangling: boolean, signal: AbortSignal) {
  return findUnusedImages(connection, { onlyDangling }, diskUse(connection, signal), signal);
}

/** Optional: an engine may refuse this request while it handles another one of its kind. */
function diskUse(connection: Connection, signal: AbortSignal): Promise<DiskUse | undefined> {
  return imageDiskUse(connection, signal).catch((error: unknown) => {
    if (error instanceof EngineError) return undefined;
    throw error;
  });
}

function isSure(ui: Ui, images: readonly UnusedImage[]): Promise<boolean> {
  const { l10n } = ui;
  const [first] = images;
  const question =
    images.length === 1 && first
      ? l10n.t('Remove {0}?', formatName(imageDisplayName(first.image)))
      : l10n.t('Remove {0} images?', images.length);
  const names = images.map(({ image }) => imageDisplayName(image));
  const lines = [formatReclaimableSpace(reclaimableSpace(images), l10n), formatNames(names, l10n)];
  return ui.confirm(question, lines.join('\n'), l10n.t('Remove'));
}

interface Done extends RemovedImages {
  /** In bytes. */
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

function showPruned(ui: Ui, images: readonly UnusedImage[], { removed, kept, freed }: Done): void {
  const { l10n } = ui;
  const done =
    freed === undefined
      ? l10n.t('Removed {0} of {1} images.', removed.length, images.length)
      : l10n.t(
          'Removed {0} of {1} images. Reclaimed {2}.',
          removed.length,
          images.length,
          formatSize(freed),
        );
  if (kept.size === 0) {
    ui.info(done);
    return;
  }
  const byId = new Map(images.map(({ image }) => [image.id, image]));
  const why = [...kept].map(([id, one]) => {
    const image = byId.get(id);
    const name = formatName(image ? imageDisplayName(image) : id);
    const words =
      one.why === 'refused' ? errorMessage(one.error, l10n) : keptImageMessage(one, l10n);
    return l10n.t('{0}: {1}', name, words);
  });
  ui.warn([done, formatReasons(why, l10n)].join(' '));
}
