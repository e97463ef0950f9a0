import * as vscode from 'vscode';
import { listChanges } from '../../engine/containers/listChanges.ts';
import { containerMounts } from '../../engine/containers/containerMounts.ts';
import { inspectContainer } from '../../engine/containers/containers.ts';
import type { ChangeCounts } from '../../review/changeTree.ts';
import type { ReviewSubject } from '../../review/review.ts';
import type { ReviewController } from '../../review/reviewController.ts';
import { containerFileSource, imageFileSource } from '../../review/fileSources.ts';
import { formatImageName } from '../../views/format.ts';
import type { TargetCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';

const { l10n } = vscode;

/** Shows what an image made of a container would contain. */
export function reviewChangesCommand(
  reviews: ReviewController,
): TargetCommand<object, ChangeCounts> {
  return {
    id: 'gantry.containers.reviewChanges',
    kind: 'container',
    schema: {},
    isForOne: true,
    progress: 'late',
    progressTitle: (name) => l10n.t('Looking for changes in {0}', name),
    failureTitle: (name) => l10n.t('Could not review the changes of {0}', name),
    run: async (call, context) => {
      const { id } = await call.target();
      const subject = await containerReviewSubject(context, id, reviews.owner, call.signal);
      const { tree } = await reviews.open(subject, call.signal);
      if (call.isInteractive) await reviews.focus();
      return tree.counts;
    },
  };
}

/**
 * A container as the subject of a review, compared with the very image it was made of: its name may be another
 * image's by now.
 *
 * @param owner this window's mark on its temporary containers.
 */
export async function containerReviewSubject(
  { engine, unit }: Pick<CommandContext, 'engine' | 'unit'>,
  id: string,
  owner: string,
  signal: AbortSignal | undefined,
): Promise<ReviewSubject> {
  const connect = (within?: AbortSignal) => engine.connect(within);
  const details = await inspectContainer(await connect(signal), id, signal);
  return {
    engine: unit.id,
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
