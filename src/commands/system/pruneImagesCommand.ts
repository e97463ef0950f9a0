import * as l10n from '@vscode/l10n';
import { ageOfImage, formatAge } from '../../inventory/age.ts';
import { formatSize, joinParts } from '../../views/format.ts';
import type { PlainCommand } from '../frame/command.ts';
import { formatName, formatNames } from '../ui/formatNames.ts';
import { tagCountOf, type ItemOfKind } from './cleanupItem.ts';
import { pruneKind, type PruneKindArguments, type PrunedKind } from './pruneKind.ts';
import { formatReclaimed } from './formatReclaimed.ts';
import { imageNames } from '../../views/images/imageNames.ts';
import { removeImagesQuestion } from '../images/removeImageQuestion.ts';

type ImageItem = ItemOfKind<'images'>;
type PruneArguments = Pick<PruneKindArguments, 'all' | 'dryRun'>;

/** Removes unused images: dangling ones, and tagged ones only on request. */
export const pruneImagesCommand = (): PlainCommand<PruneArguments, PrunedKind> => ({
  id: 'gantry.images.prune',
  schema: { all: { kind: 'boolean' }, dryRun: { kind: 'boolean' } },
  failureTitle: l10n.t('Could not prune images'),
  ...pruneKind({
    kind: 'images',
    title: l10n.t('Prune Images'),
    searching: l10n.t('Looking for unused images'),
    nothing: l10n.t('No unused images found.'),
    select: l10n.t('Select images to remove'),
    headings: [l10n.t('dangling'), l10n.t('unused')],
    describe: describe,
    ask: ask,
  }),
});

function describe({ size, seen }: ImageItem): string {
  const age = ageOfImage(seen);
  return joinParts(
    formatSize(seen.size),
    size === undefined || size === seen.size
      ? ''
      : l10n.t('{0} shared', formatSize(seen.size - size)),
    age && l10n.t('{0} ago', formatAge(age, Date.now())),
  );
}

function ask(items: readonly ImageItem[]) {
  const names = items.flatMap(({ seen }) => imageNames(seen));
  const [first = ''] = names;
  const tags = items.reduce((sum, item) => sum + tagCountOf(item), 0);
  const question =
    names.length === 1
      ? l10n.t('Remove {0}?', formatName(first))
      : removeImagesQuestion({ images: items.length, tags });
  return { question, lines: [formatReclaimed(items), formatNames(names)] };
}
