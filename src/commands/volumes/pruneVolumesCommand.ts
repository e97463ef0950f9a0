import * as l10n from '@vscode/l10n';

import { formatSize, joinParts } from '../../views/format.ts';
import { volumeTitle } from '../../views/volumes/presentVolume.ts';
import type { PlainCommand } from '../frame/command.ts';
import { formatName, formatNames } from '../ui/formatNames.ts';
import { labelOf, type ItemOfKind } from '../system/cleanupItem.ts';
import { pruneKind, type PruneKindArguments, type PrunedKind } from '../system/pruneKind.ts';
import { formatReclaimed } from '../system/formatReclaimed.ts';

type PruneArguments = Pick<PruneKindArguments, 'all' | 'dryRun'>;

/** Removes unused volumes: anonymous ones, and named ones only on request. */
export const pruneVolumesCommand = (): PlainCommand<PruneArguments, PrunedKind> => ({
  id: 'gantry.volumes.prune',
  schema: { all: { kind: 'boolean' }, dryRun: { kind: 'boolean' } },
  failureTitle: l10n.t('Could not prune volumes'),
  ...pruneKind({
    kind: 'volumes',
    title: l10n.t('Prune Volumes'),
    searching: l10n.t('Looking for unused volumes'),
    nothing: l10n.t('No unused volumes found.'),
    select: l10n.t('Select volumes to remove'),
    headings: [l10n.t('anonymous'), l10n.t('named')],
    describe: ({ size, seen }) =>
      joinParts(size === undefined ? '' : formatSize(size), volumeTitle(seen).project),
    ask: ask,
  }),
});

/** Returns the question, with what is lost first. */
function ask(items: readonly ItemOfKind<'volumes'>[]) {
  const names = items.map(labelOf);
  const [first = ''] = names;
  const reclaimed = formatReclaimed(items);
  return names.length === 1
    ? {
        question: l10n.t('Remove the volume {0}?', formatName(first)),
        lines: [l10n.t('All files in it are deleted.'), reclaimed],
      }
    : {
        question: l10n.t('Remove {0} volumes?', names.length),
        lines: [
          l10n.t('All files in them are deleted.'),
          reclaimed,
          l10n.t('Volumes to remove: {0}.', formatNames(names)),
        ],
      };
}
