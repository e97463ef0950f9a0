import * as l10n from '@vscode/l10n';
import { joinParts } from '../../views/format.ts';
import type { PlainCommand } from '../frame/command.ts';
import { formatNames } from '../ui/formatNames.ts';
import { pruneKind, type PruneKindArguments, type PrunedKind } from '../system/pruneKind.ts';
import { removeNetworksQuestion } from './removeNetworkCommand.ts';

type PruneArguments = Pick<PruneKindArguments, 'dryRun'>;

/** Removes networks that no container uses, running or not. */
export const pruneNetworksCommand = (): PlainCommand<PruneArguments, PrunedKind> => ({
  id: 'gantry.networks.prune',
  schema: { dryRun: { kind: 'boolean' } },
  failureTitle: l10n.t('Could not prune networks'),
  ...pruneKind({
    kind: 'networks',
    title: l10n.t('Prune Networks'),
    searching: l10n.t('Looking for unused networks'),
    nothing: l10n.t('No unused networks found.'),
    select: l10n.t('Select networks to remove'),
    describe: ({ seen }) =>
      joinParts(seen.driver, seen.subnets.map(({ subnet }) => subnet).join(', ')),
    ask: (items) => {
      const names = items.map(({ name }) => name);
      return { question: removeNetworksQuestion(names), lines: [formatNames(names)] };
    },
  }),
});
