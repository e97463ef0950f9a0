import * as vscode from 'vscode';
import type { Connection } from '../../engine/http/connection.ts';
import { listContainers } from '../../engine/containers/containers.ts';
import { imageDiskUse } from '../../engine/system/diskUse.ts';
import { listImages } from '../../engine/images/images.ts';
import { formatSize } from '../../views/format.ts';
import type { PlainCommand } from '../command.ts';
import { formatReclaimableSpace } from '../images/formatReclaimableSpace.ts';
import { pruneImagesCommand, pruneInteractively } from '../images/pruneImagesCommand.ts';
import { showInfo, withErrorMessage, withProgress } from '../notifications.ts';
import { reclaimableSpace, unusedImages, type ReclaimableSpace } from '../images/unusedImages.ts';

const { l10n } = vscode;

/** What the images of an engine take. */
interface ImagesUse {
  readonly images: number;
  /** Bytes, each layer counted once; where the engine does not know that, the sum of all images. */
  readonly size: number;
  /** Whether layers that several share are counted once. */
  readonly isExact: boolean;
  /** Of the images that no container uses. */
  readonly unused: { readonly images: number } & ReclaimableSpace;
}

/** Says what images take on the engine's disk; asked for only by a person or a caller, for it is dear. */
export const diskUseCommand: PlainCommand<object, ImagesUse> = {
  id: 'gantry.images.diskUse',
  schema: {},
  failureTitle: l10n.t('Could not find out what the images take'),
  run: async (_, context, signal) => measure(await context.engine.connect(signal), signal),
  runInteractive: async (context) => {
    const use = await withProgress(l10n.t('Measuring the images'), 'late', async (signal) =>
      measure(await context.engine.connect(signal), signal),
    );
    showInfo(context.titleOf(formatImagesUse(use)), {
      title: l10n.t('Remove Unused…'),
      run: () =>
        withErrorMessage(pruneImagesCommand.failureTitle, context, () =>
          pruneInteractively(context),
        ),
    });
    return use;
  },
};

async function measure(connection: Connection, signal: AbortSignal): Promise<ImagesUse> {
  const [use, images, containers] = await Promise.all([
    imageDiskUse(connection, signal),
    listImages(connection, {}, signal),
    listContainers(connection, { all: true }, signal),
  ]);
  const used = new Set(containers.map(({ imageId }) => imageId));
  const unneeded = unusedImages(images, used, { onlyDangling: false }, use);
  return {
    images: images.length,
    size: use.layers ?? images.reduce((sum, { size }) => sum + size, 0),
    isExact: use.layers !== undefined,
    unused: { images: unneeded.length, ...reclaimableSpace(unneeded) },
  };
}

function formatImagesUse({ images, size, isExact, unused }: ImagesUse): string {
  const all = isExact
    ? l10n.t('{0} images take {1}.', images, formatSize(size))
    : l10n.t('{0} images take at most {1}.', images, formatSize(size));
  if (unused.images === 0) return all;
  const rest = l10n.t('No container uses {0} of them.', unused.images);
  return [all, rest, formatReclaimableSpace(unused)].join(' ');
}
