import * as l10n from '@vscode/l10n';
import { listChanges } from '../../engine/containers/listChanges.ts';
import { containerMounts } from '../../engine/containers/containerDetails.ts';
import { inspectContainer } from '../../engine/containers/containers.ts';
import { InputError } from '../../engine/errors.ts';
import { layerDigests, readLayers } from '../../engine/images/imageLayers.ts';
import { inspectImage } from '../../engine/images/images.ts';
import type { ChangeCounts } from '../../review/changeTree.ts';
import { findBaseImage } from '../../review/baseImage.ts';
import { layerChanges } from '../../review/layerChanges.ts';
import type { ReviewSubject } from '../../review/review.ts';
import type { ReviewController } from '../../review/reviewController.ts';
import { containerFileSource, imageFileSource } from '../../engine/volumes/fileSource.ts';
import { formatImageName } from '../../views/format.ts';
import type { TargetCommand } from '../frame/command.ts';
import { knownImages, type CommandTarget } from '../frame/targets.ts';

/** Shows what an image created from a container would contain. */
export function reviewChangesCommand(
  reviews: ReviewController,
): TargetCommand<object, ChangeCounts> {
  return {
    id: 'gantry.containers.reviewChanges',
    on: 'container',
    progressTitle: (name) => l10n.t('Checking {0} for changes', name),
    failureTitle: (name) => l10n.t('Could not review the changes of {0}', name),
    ...reviewing(reviews, containerReviewSubject),
  };
}

/** Shows what an image adds to its base image. The engine sends the complete image for that. */
export function reviewContentsCommand(
  reviews: ReviewController,
): TargetCommand<object, ChangeCounts> {
  return {
    id: 'gantry.images.reviewContents',
    on: 'image',
    progressTitle: (name) => l10n.t('Comparing {0} with its base image', name),
    failureTitle: (name) => l10n.t('Could not compare {0} with its base image', name),
    ...reviewing(reviews, imageReviewSubject),
  };
}

/** The common part of commands that open a review. */
function reviewing(
  reviews: ReviewController,
  subjectOf: typeof imageReviewSubject,
): Pick<TargetCommand<object, ChangeCounts>, 'isForOne' | 'progress' | 'run'> {
  return {
    isForOne: true,
    progress: 'late',
    run: async (call) => {
      const subject = await subjectOf(await call.target(), reviews.owner, call.signal);
      const { tree } = await reviews.open(subject, call.signal);
      if (call.isInteractive) await reviews.focus();
      return tree.counts;
    },
  };
}

/**
 * Returns a container as the subject of a review. It is compared by ID with the image that it was created
 * from: that image's name may refer to another one by now.
 *
 * @param owner marks the temporary containers of this window.
 */
export async function containerReviewSubject(
  { id, context }: CommandTarget,
  owner: string,
  signal: AbortSignal | undefined,
): Promise<ReviewSubject> {
  const connect = (within?: AbortSignal) => context.engine.connect(within);
  const details = await inspectContainer(await connect(signal), id, signal);
  return {
    engine: context.unit.id,
    kind: 'container',
    id: details.id,
    name: details.name,
    base: formatImageName(details.image === '' ? details.imageId : details.image),
    list: async (within) => listChanges(await connect(within), details.id, within),
    before: imageFileSource(connect, details.imageId, owner),
    after: containerFileSource(connect, details.id),
    mounts: containerMounts(details),
  };
}

async function imageReviewSubject(
  { id, name, context }: CommandTarget,
  owner: string,
  signal: AbortSignal,
): Promise<ReviewSubject> {
  const connect = (within?: AbortSignal) => context.engine.connect(within);
  const connection = await connect(signal);
  const details = await inspectImage(connection, id, signal);
  const known = await knownImages(context, signal);
  const base = await findBaseImage(connection, details, known, signal);
  if (!base) {
    throw new InputError(
      l10n.t(
        'The base image of {0} is not available locally, so there is nothing to compare with.',
        name,
      ),
    );
  }
  return {
    engine: context.unit.id,
    kind: 'image',
    id: details.id,
    name,
    base: formatImageName(base.tags[0] ?? base.id),
    list: async (within) => {
      // The images have the same layers, so only the configuration differs.
      if (layerDigests(details.raw).length === base.layers) return { changes: [], leftOut: 0 };
      return layerChanges(await readLayers(await connect(within), details.id, within), base.layers);
    },
    before: imageFileSource(connect, base.id, owner),
    after: imageFileSource(connect, details.id, owner),
    mounts: [],
  };
}
