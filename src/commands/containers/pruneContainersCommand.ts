import * as l10n from '@vscode/l10n';
import { isAnonymousVolume, type Container } from '../../engine/model.ts';
import { swarmServiceOf } from '../../projects/projectLabels.ts';
import { formatSize, joinParts, shortId } from '../../views/format.ts';
import type { PlainCommand } from '../frame/command.ts';
import { formatItemText, formatNames } from '../ui/formatNames.ts';
import type { ItemOfKind } from '../system/cleanupItem.ts';
import {
  pruneKind,
  type PruneKindArguments,
  type PruneQuestion,
  type PrunedKind,
} from '../system/pruneKind.ts';
import { formatReclaimed } from '../system/formatReclaimed.ts';
import { removeContainerQuestion } from './removeContainerQuestion.ts';

type StoppedItem = ItemOfKind<'containers'>;
type PruneArguments = Pick<PruneKindArguments, 'until' | 'volumes' | 'dryRun'>;

/** Removes stopped containers, and those that were never started. */
export const pruneContainersCommand = (): PlainCommand<PruneArguments, PrunedKind> => ({
  id: 'gantry.containers.prune',
  schema: { until: { kind: 'text' }, volumes: { kind: 'boolean' }, dryRun: { kind: 'boolean' } },
  failureTitle: l10n.t('Could not prune containers'),
  ...pruneKind({
    kind: 'containers',
    title: l10n.t('Prune Containers'),
    searching: l10n.t('Looking for stopped containers'),
    nothing: l10n.t('No stopped containers found.'),
    select: l10n.t('Select containers to remove'),
    headings: [l10n.t('stopped'), l10n.t('never started')],
    describe: describe,
    ask: ask,
  }),
});

function describe({ size, seen }: StoppedItem): string {
  const volumes = anonymousVolumes(seen).length;
  return joinParts(
    formatItemText(seen.status || seen.state),
    size === undefined ? '' : formatSize(size),
    volumes === 0 ? '' : l10n.t('anonymous volumes: {0}', volumes),
  );
}

function anonymousVolumes({ mounts }: Container): readonly string[] {
  const names = mounts.flatMap(({ volume }) => volume ?? []);
  return names.filter((name) => isAnonymousVolume({ name, labels: {} }));
}

/** Asks whether to remove, and whether with anonymous volumes. */
function ask(items: readonly StoppedItem[]): PruneQuestion {
  const containers = items.map(({ name, seen }) => {
    return { name, isRunning: false, service: swarmServiceOf(seen) };
  });
  const { question, detail } = removeContainerQuestion(containers);
  const volumes = [...new Set(items.flatMap(({ seen }) => anonymousVolumes(seen)))].map(shortId);
  const lines = [formatReclaimed(items), detail];
  if (volumes.length === 0) return { question, lines };
  const names = formatNames(volumes);
  const more = l10n.t('Anonymous volumes of these containers: {0}.', names);
  const button = l10n.t('Remove with Anonymous Volumes');
  return {
    question,
    lines: [more, ...lines],
    alternative: { button, options: { volumes: true } },
  };
}
