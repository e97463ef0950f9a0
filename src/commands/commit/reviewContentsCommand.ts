import * as vscode from 'vscode';
import { InputError } from '../../engine/errors.ts';
import { layerDigests, readLayers } from '../../engine/images/imageLayers.ts';
import { inspectImage } from '../../engine/images/images.ts';
import type { ChangeCounts } from '../../review/changeTree.ts';
import { findBaseImage } from '../../review/baseImage.ts';
import { layerChanges } from '../../review/layerChanges.ts';
import type { ReviewSubject } from '../../review/review.ts';
import type { ReviewController } from '../../review/reviewController.ts';
import { imageFileSource } from '../../review/fileSources.ts';
import { formatImageName } from '../../views/format.ts';
import type { TargetCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { knownImages } from '../targets.ts';

const { l10n } = vscode;

/** Shows what an image has that the one it was made on has not. */
export function reviewContentsCommand(
  reviews: ReviewController,
): TargetCommand<object, ChangeCounts> {
  return {
    id: 'gantry.images.reviewContents',
    kind: 'image',
    schema: {},
    isForOne: true,
    // The whole image goes over the wire for it.
    progress: 'late',
    progressTitle: (name) => l10n.t('Looking what is in {0}', name),
    failureTitle: (name) => l10n.t('Could not review what is in {0}', name),
    run: async (call, context) => {
      const { id, name } = await call.target();
      const subject = await imageSubject(context, { id, name, owner: reviews.owner }, call.signal);
      const { tree } = await reviews.open(subject, call.signal);
      if (call.isInteractive) await reviews.focus();
      return tree.counts;
    },
  };
}

/** @param image what it is called by, what to call it, and this window's mark on its temporary containers. */
async function imageSubject(
  context: CommandContext,
  image: { readonly id: string; readonly name: string; readonly owner: string },
  signal: AbortSignal,
): Promise<ReviewSubject> {
  const connect = (within?: AbortSignal) => context.engine.connect(within);
  const connection = await connect(signal);
  const details = await inspectImage(connection, image.id, signal);
  const base = await findBaseImage(connection, details, await knownImages(context), signal);
  if (!base) {
    throw new InputError(
      l10n.t(
        'The image that {0} was made on is not here, so there is nothing to compare it with.',
        image.name,
      ),
    );
  }
  return {
    engine: context.unit.id,
    kind: 'image',
    id: details.id,
    name: image.name,
    base: formatImageName(base.tags[0] ?? base.id),
    list: async (within) => {
      // Only what it says of itself differs.
      if (layerDigests(details.raw).length === base.layers) return { changes: [], leftOut: 0 };
      return layerChanges(await readLayers(await connect(within), details.id, within), base.layers);
    },
    before: imageFileSource(connect, base.id, image.owner),
    after: imageFileSource(connect, details.id, image.owner),
    mounts: [],
  };
}
