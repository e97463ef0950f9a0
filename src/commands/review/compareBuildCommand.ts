import * as l10n from '@vscode/l10n';
import { comparedImages, type ComparedImages } from '../../builds/buildResults.ts';
import type { ShownBuild } from '../../builds/shownBuild.ts';
import { InputError } from '../../engine/errors.ts';
import { layerDigests, readLayers } from '../../engine/images/imageLayers.ts';
import { findImage, listImages, type ImageDetails } from '../../engine/images/images.ts';
import type { Image } from '../../engine/model.ts';
import type { Connect } from '../../engine/http/sameEngineOnly.ts';
import { asNumber, asRecord } from '../../engine/wire/wire.ts';
import { imageFileSource } from '../../engine/volumes/fileSource.ts';
import type { ChangeCounts } from '../../review/changeTree.ts';
import { imageChanges } from '../../review/layerChanges.ts';
import type { ReviewSubject } from '../../review/review.ts';
import type { ReviewController } from '../../review/reviewController.ts';
import { BuildNode } from '../../views/builds/buildNode.ts';
import { formatImageName } from '../../views/format.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import type { MessageAction } from '../ui/ui.ts';
import { withErrorMessage } from '../ui/withErrorMessage.ts';

/** Part of the reviews of a window that the comparison uses. */
type Reviews = Pick<ReviewController, 'owner' | 'open' | 'focus'>;

/** Compares the image of a build with that of the last build. The engine sends both images for that. */
export const compareBuildCommand = (
  reviews: Reviews,
): PlainCommand<{ readonly ref: string }, BuildComparison> => ({
  id: 'gantry.builds.compare',
  schema: { ref: { kind: 'text', required: true } },
  failureTitle: failureTitle(),
  run: async ({ ref }, context, signal) => {
    const { builds } = await context.window.builds();
    return compare(context, builds.get(context.unit.id, ref), reviews, signal);
  },
  runInteractive: async (context, [node]) => {
    const { builds } = await context.window.builds();
    const shown = node instanceof BuildNode ? node.build : undefined;
    const isComparable = (build: ShownBuild): boolean =>
      build.engine === context.unit.id && comparedImages(build) !== undefined;
    return showComparison(context, shown ?? builds.all.findLast(isComparable), reviews);
  },
});

/** The images that were compared, and what changed. */
interface BuildComparison extends ChangeCounts, ComparedImages {
  /** Growth of the image, in bytes. */
  readonly sizeChange: number;
}

const failureTitle = (): string => l10n.t('Could not compare the builds');

/** Returns the button that compares a build with the last one; none if the image of that no longer exists. */
export async function compareAction(
  context: CommandContext,
  build: ShownBuild,
  reviews: () => Promise<Reviews>,
): Promise<readonly MessageAction[]> {
  const { engine } = context;
  const { lastImageId } = comparedImages(build) ?? {};
  if (lastImageId === undefined) return [];
  // A button less is no reason to fail.
  const last = await engine
    .connect()
    .then((connection) => findImage(connection, lastImageId))
    .catch(() => undefined);
  if (!last) return [];
  const show = async (): Promise<unknown> => showComparison(context, build, await reviews());
  const run = (): unknown => withErrorMessage(failureTitle(), context, show);
  return [{ title: l10n.t('Compare with Last Build'), run }];
}

async function showComparison(
  context: CommandContext,
  build: ShownBuild | undefined,
  reviews: Reviews,
): Promise<BuildComparison> {
  const title = l10n.t('Comparing with the last build');
  const found = await context.ui.progress(title, 'late', (signal) =>
    compare(context, build, reviews, signal),
  );
  await reviews.focus();
  return found;
}

/** @throws InputError if there is nothing to compare. */
async function compare(
  context: CommandContext,
  build: ShownBuild | undefined,
  reviews: Reviews,
  signal: AbortSignal,
): Promise<BuildComparison> {
  const images = build && comparedImages(build);
  if (!images) {
    throw new InputError(
      l10n.t('Only a build of this window whose image has changed can be compared.'),
    );
  }
  const connect: Connect = (within) => context.engine.connect(within);
  const connection = await connect(signal);
  const [last, now, listed] = await Promise.all([
    findImage(connection, images.lastImageId, signal),
    findImage(connection, images.imageId, signal),
    listImages(connection, { all: true }, signal),
  ]);
  if (!last) throw new InputError(l10n.t('The image of the last build no longer exists.'));
  if (!now) throw new InputError(l10n.t('The image of this build no longer exists.'));
  const sizeChange = sizeChangeOf(last, now, listed);
  const subject = subjectOf(connect, { last, now, sizeChange }, reviews.owner);
  const { unit } = context;
  const { tree } = await reviews.open({ ...subject, engine: unit.id, name: build.title }, signal);
  return { ...images, sizeChange: subject.sizeChange, ...tree.counts };
}

interface Compared {
  readonly last: ImageDetails;
  readonly now: ImageDetails;
  /** In bytes. */
  readonly sizeChange: number;
}

function subjectOf(connect: Connect, { last, now, sizeChange }: Compared, owner: string) {
  return {
    kind: 'image',
    id: now.id,
    base: formatImageName(last.tags[0] ?? last.id),
    list: (signal) => listImageChanges(connect, last, now, signal),
    before: imageFileSource(connect, last.id, owner),
    after: imageFileSource(connect, now.id, owner),
    mounts: [],
    sizeChange,
  } satisfies Omit<ReviewSubject, 'engine' | 'name'>;
}

async function listImageChanges(
  connect: Connect,
  last: ImageDetails,
  now: ImageDetails,
  signal: AbortSignal | undefined,
): ReturnType<ReviewSubject['list']> {
  const before = layerDigests(last.raw);
  const after = layerDigests(now.raw);
  const first = before.findIndex((digest, index) => digest !== after[index]);
  const shared = first < 0 ? before.length : first;
  // The images have the same layers, so only the configuration differs.
  if (shared === before.length && shared === after.length) return { changes: [], leftOut: 0 };
  const connection = await connect(signal);
  const options = { hasMarks: true };
  // One after the other: the engine may have to read both from a disk.
  const left = await readLayers(connection, last.id, signal, options);
  return imageChanges(left, await readLayers(connection, now.id, signal, options), shared);
}

/** With the containerd image store, an inspect of Docker has only the compressed size; a list has the whole. */
function sizeChangeOf(last: ImageDetails, now: ImageDetails, listed: readonly Image[]): number {
  const sizes = [now, last].map(({ id }) => listed.find((one) => one.id === id)?.size);
  const [after, before] = sizes;
  if (after !== undefined && before !== undefined) return after - before;
  return inspectedSize(now) - inspectedSize(last);
}

function inspectedSize({ raw }: ImageDetails): number {
  return asNumber(asRecord(raw)['Size']) ?? 0;
}
