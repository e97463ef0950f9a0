import * as l10n from '@vscode/l10n';
import { commitSpec, type CommitDraft } from '../../engine/containers/commitSpec.ts';
import { commitWithCleanup } from '../../engine/containers/commitWithCleanup.ts';
import { settledWithin } from '../../base/time.ts';
import { gitAuthor } from '../../review/gitAuthor.ts';
import { checkTagOwner, imageByTag, type SeenTagOwner } from '../../review/imageByTag.ts';
import { loadReview, type Review } from '../../review/review.ts';
import type { ReviewController } from '../../review/reviewController.ts';
import { formatChangeCounts } from '../../review/reviewRow.ts';
import { showCommitForm } from './showCommitForm.ts';
import type { TargetCommand } from '../frame/command.ts';
import { formatName } from '../ui/formatNames.ts';
import { confirmTagOwner, tagClashMessage } from '../frame/askImageName.ts';
import { containerReviewSubject } from './reviewChangesCommand.ts';
import type { CommandTarget } from '../frame/targets.ts';
import type { Ui } from '../ui/ui.ts';

/** Milliseconds that the form waits for the contents of the image. */
const CONTENTS_LIMIT_MS = 1000;

interface CommitOptions extends CommitDraft {
  /** The tag owner that the user was warned of. Not part of the argument. */
  readonly seen?: SeenTagOwner;
}

/** The created image. */
interface Committed {
  readonly imageId: string;
  /** Whether the image lacks the health check of the container, because the engine does not keep it. */
  readonly losesHealthCheck?: true;
}

/** Creates an image from a container. The values of the form are kept until the image is created. */
export function commitCommand(reviews: ReviewController): TargetCommand<CommitOptions, Committed> {
  return {
    id: 'gantry.containers.commit',
    on: 'container',
    schema: {
      repository: { kind: 'text', required: true },
      tag: { kind: 'text' },
      message: { kind: 'text' },
      author: { kind: 'text' },
      pause: { kind: 'boolean' },
      changes: { kind: 'texts' },
    },
    verb: 'committing',
    progress: 'late',
    progressTitle: (name) => l10n.t('Committing {0}', name),
    failureTitle: (name) => l10n.t('Could not commit {0}', name),
    isForOne: true,
    ask: async ([target]) => (target ? ask(target, reviews) : undefined),
    run: async (call, context) => {
      // Before the container is looked up, so that invalid input is rejected without a request.
      const spec = commitSpec({ ...call.args, id: call.text });
      const { id } = await call.target();
      const connection = await call.connect();
      const name = `${spec.repository}:${spec.tag ?? 'latest'}`;
      const { seen } = call.args;
      if (seen) await checkTagOwner(connection, name, seen, undefined, call.signal);
      const committed = await commitWithCleanup(connection, { ...spec, id }, call.signal);
      reviews.drafts.delete(id);
      if (call.isInteractive) context.reveal(committed.imageId, name);
      if (committed.losesHealthCheck) warnOfLoss(context.ui, name);
      return committed;
    },
  };
}

function warnOfLoss(ui: Ui, name: string): void {
  ui.warn(
    l10n.t(
      'The image {0} has no health check, because this version of Podman does not keep it.',
      formatName(name),
    ),
  );
}

async function ask(
  target: CommandTarget,
  reviews: ReviewController,
): Promise<CommitOptions | undefined> {
  const { context } = target;
  const { ui } = context;
  const controller = new AbortController();
  const review = reviewOf(target, reviews, controller.signal);
  // The review may fail before anything awaits it.
  review.catch(() => undefined);
  const author = await gitAuthor(ui.workspaceFolders()[0]);
  const decision = await showCommitForm(ui, {
    name: target.name,
    image: target.container?.image ?? '',
    draft: reviews.drafts.get(target.id) ?? { repository: '', author },
    gitAuthor: author,
    clash: (repository) => tagClashMessage(repository, context),
    contents: () => formatContents(review),
  });
  if (decision) reviews.drafts.set(target.id, decision.draft);
  if (decision?.action === 'review') {
    await showReview(target, review, reviews, controller);
    return undefined;
  }
  controller.abort();
  if (!decision) return undefined;
  const { draft } = decision;
  const holder = imageByTag(draft.repository, context.inventory.images.values())?.id;
  const seen = await confirmTagOwner(draft.repository, { holder }, context);
  return seen && { ...draft, seen };
}

/** Returns the review of the container. Uses the open review if there is one, without further requests. */
async function reviewOf(
  target: CommandTarget,
  reviews: ReviewController,
  signal: AbortSignal,
): Promise<Review> {
  if (reviews.current?.subject.id === target.id) return reviews.current;
  return loadReview(await containerReviewSubject(target, reviews.owner, signal), signal);
}

async function showReview(
  { name, context }: CommandTarget,
  review: Promise<Review>,
  reviews: ReviewController,
  controller: AbortController,
): Promise<void> {
  const { ui } = context;
  const title = l10n.t('Checking {0} for changes', name);
  const loaded = await ui.progress(title, 'late', (signal) => {
    // The review was started with the form, before there was this signal.
    signal.addEventListener('abort', () => controller.abort());
    return review;
  });
  reviews.show(loaded);
  await reviews.focus();
}

const formatContents = async (review: Promise<Review>): Promise<string> => {
  const counted = review.then(
    ({ tree }) => formatChangeCounts(tree.counts),
    () => l10n.t('unknown'),
  );
  return (await settledWithin(CONTENTS_LIMIT_MS, counted)) ?? l10n.t('still counting...');
};
