import * as l10n from '@vscode/l10n';
import { temporaryImageOwner } from '../../engine/images/temporaryMarks.ts';
import { wholeDiskUse } from '../../engine/system/wholeDiskUse.ts';
import { formatSize } from '../../views/format.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { pruneImagesCommand } from './pruneImagesCommand.ts';
import { unusedImages } from './kindUses.ts';
import { listWithoutUse } from './listContents.ts';
import {
  formatReclaimableSpace,
  reclaimableSpace,
  type ReclaimableSpace,
} from './formatReclaimed.ts';
import { withErrorMessage } from '../ui/withErrorMessage.ts';
import type { Ui } from '../ui/ui.ts';

/** The disk space that the images of an engine use. */
interface ImagesUse {
  readonly images: number;
  /** In bytes, with each layer counted once. If the engine does not know that, the sum of all images. */
  readonly size: number;
  /** Whether shared layers are counted once. */
  readonly isExact: boolean;
  /** The images that no container uses. */
  readonly unused: { readonly images: number } & ReclaimableSpace;
}

/** Returns the disk space that images use. Runs only on request, because it is expensive for the engine. */
export const diskUseCommand = (ui: Ui): PlainCommand<object, ImagesUse> => ({
  id: 'gantry.images.diskUse',
  schema: {},
  failureTitle: l10n.t('Could not get the disk usage of the images'),
  run: (_, context, signal) => measure(context, signal),
  runInteractive: async (context) => {
    const use = await ui.progress(l10n.t('Calculating image disk usage'), 'late', (signal) =>
      measure(context, signal),
    );
    ui.info(context.titleOf(formatImagesUse(use)), {
      title: l10n.t('Prune Images...'),
      run: () => {
        const prune = pruneImagesCommand();
        return withErrorMessage(prune.failureTitle, context, async () =>
          prune.runInteractive?.(context, []),
        );
      },
    });
    return use;
  },
});

async function measure({ engine }: CommandContext, signal: AbortSignal): Promise<ImagesUse> {
  const connection = await engine.connect(signal);
  const [lists, use] = await Promise.all([
    listWithoutUse(connection, ['images'], signal),
    wholeDiskUse(connection, signal, 'image'),
  ]);
  const images = lists.images.filter((one) => temporaryImageOwner(one) === undefined);
  const unused = unusedImages({ ...lists, use });
  const { layers } = use.images;
  return {
    images: images.length,
    size: layers ?? images.reduce((sum, { size }) => sum + size, 0),
    isExact: layers !== undefined,
    unused: { images: unused.length, ...reclaimableSpace(unused) },
  };
}

function formatImagesUse({ images, size, isExact, unused }: ImagesUse): string {
  const all = isExact
    ? l10n.t('Disk usage of {0} images: {1}.', images, formatSize(size))
    : l10n.t('Disk usage of {0} images: at most {1}.', images, formatSize(size));
  if (unused.images === 0) return all;
  const rest = l10n.t('Unused images: {0}.', unused.images);
  return [all, rest, formatReclaimableSpace(unused)].join(' ');
}
