import * as vscode from 'vscode';
import { commitSpec, type CommitDraft } from '../../engine/images/commitSpec.ts';
import { commitWithCleanup } from '../../engine/images/commitWithCleanup.ts';
import { settledWithin } from '../../time.ts';
import { gitAuthor } from '../../review/gitAuthor.ts';
import { checkTagOwner, imageByTag, type SeenTagOwner } from '../../review/imageByTag.ts';
import { loadReview, type Review } from '../../review/review.ts';
import type { ReviewController } from '../../review/reviewController.ts';
import { formatChangeCounts } from '../../review/reviewRow.ts';
import { showCommitForm } from './showCommitForm.ts';
import type { TargetCommand } from '../command.ts';
import { tagClashMessage } from '../forms/askImageName.ts';
import { withProgress } from '../notifications.ts';
import { containerReviewSubject } from './reviewChangesCommand.ts';
import type { CommandTarget } from '../targets.ts';

const { l10n } = vscode;

/** So long the form waits for what the image will contain. */
const CONTENTS_LIMIT_MS = 1000;

interface CommitOptions extends CommitDraft {
  /** What the user was warned of; not a part of the argument. */
  readonly seen?: SeenTagOwner;
}

/** Makes an image of a container. What was entered is kept until it is made. */
export function commitCommand(
  reviews: ReviewController,
): TargetCommand<CommitOptions, { readonly imageId: string }> {
  return {
    id: 'gantry.containers.commit',
    kind: 'container',
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
      // Before the container is looked up: bad input is refused without a request.
      const spec = commitSpec({ ...call.args, id: call.text }, l10n);
      const { id } = await call.target();
      const connection = await call.connect();
      const name = `${spec.repository}:${spec.tag ?? 'latest'}`;
      const { seen } = call.args;
      if (seen) await checkTagOwner(connection, name, seen, undefined, call.signal);
      const committed = await commitWithCleanup(connection, { ...spec, id }, call.signal);
      reviews.drafts.delete(id);
      if (call.isInteractive) context.reveal(committed.imageId, name);
      return committed;
    },
  };
}

async function ask(
  target: CommandTarget,
  reviews: ReviewController,
): Promise<CommitOptions | undefined> {
  const controller = new AbortController();
  const review = reviewOf(target, reviews, controller.signal);
  // It may fail while nobody waits for it.
  review.catch(() => undefined);
  const decision = await showCommitForm({
    name: target.name,
    image: target.container?.image ?? '',
    draft: reviews.drafts.get(target.id) ?? (await emptyDraft()),
    clash: (repository) => tagClashMessage(repository, target.context),
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
  const holder = imageByTag(draft.repository, target.context.inventory.images.values())?.id;
  return { ...draft, seen: { holder } };
}

async function emptyDraft(): Promise<CommitDraft> {
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file');
  const author = await gitAuthor(folder?.uri.fsPath);
  return { repository: '', ...(author !== undefined && { author }) };
}

/** Of a review that is open already no more is asked. */
async function reviewOf(
  { id, context }: CommandTarget,
  reviews: ReviewController,
  signal: AbortSignal,
): Promise<Review> {
  if (reviews.current?.subject.id === id) return reviews.current;
  return loadReview(await containerReviewSubject(context, id, reviews.owner, signal), signal);
}

async function showReview(
  { name }: CommandTarget,
  review: Promise<Review>,
  reviews: ReviewController,
  controller: AbortController,
): Promise<void> {
  const title = l10n.t('Looking for changes in {0}', name);
  const loaded = await withProgress(title, 'late', (signal) => {
    const onAbort = (): void => {
      controller.abort();
    };
    // The review was begun with the form, before there was this signal.
    signal.addEventListener('abort', onAbort, { once: true });
    return review;
  });
  reviews.show(loaded);
  await reviews.focus();
}

const formatContents = async (review: Promise<Review>): Promise<string> => {
  const counted = review.then(
    ({ tree }) => formatChangeCounts(tree.counts, l10n),
    () => l10n.t('not known'),
  );
  return (await settledWithin(CONTENTS_LIMIT_MS, counted)) ?? l10n.t('still counting…');
};
