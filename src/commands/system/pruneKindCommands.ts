import * as l10n from '@vscode/l10n';
import type { CleanupKind } from '../../engine/system/cleanupKinds.ts';
import type { PlainCommand } from '../frame/command.ts';
import { exactName } from './cleanupItem.ts';
import { sizeOf } from './formatReclaimed.ts';
import { planPrune, type PrunePlan } from './planPrune.ts';
import { removeItems, removeNothing, type Removal } from './removeItems.ts';

/** The commands that prune one kind for a caller. For the user they open the clean-up page at that kind. */
export const pruneKindCommands = (): readonly PlainCommand<PruneKindArguments, PrunedKind>[] => [
  {
    id: 'gantry.containers.prune',
    schema: { until: { kind: 'text' }, volumes: { kind: 'boolean' }, dryRun: { kind: 'boolean' } },
    failureTitle: l10n.t('Could not prune containers'),
    ...pruneKind('containers'),
  },
  {
    id: 'gantry.images.prune',
    schema: { all: { kind: 'boolean' }, dryRun: { kind: 'boolean' } },
    failureTitle: l10n.t('Could not prune images'),
    ...pruneKind('images'),
  },
  {
    id: 'gantry.volumes.prune',
    schema: { all: { kind: 'boolean' }, dryRun: { kind: 'boolean' } },
    failureTitle: l10n.t('Could not prune volumes'),
    ...pruneKind('volumes'),
  },
  {
    id: 'gantry.networks.prune',
    schema: { dryRun: { kind: 'boolean' } },
    failureTitle: l10n.t('Could not prune networks'),
    ...pruneKind('networks'),
  },
];

function pruneKind(
  kind: CleanupKind,
): Pick<PlainCommand<PruneKindArguments, PrunedKind>, 'run' | 'runInteractive'> {
  return {
    run: async ({ all, until, volumes = false, dryRun }, context, signal) => {
      const plan = await planPrune(context, { kinds: [kind], all, until }, signal);
      const { connection, items, use } = plan;
      if (dryRun === true) return pruned(plan, kind, { ...removeNothing(), removed: [...items] });
      const removal = removeNothing();
      await removeItems(context, { connection, items, removal, volumes, use }, signal);
      return pruned(plan, kind, removal);
    },
    runInteractive: async (context) => {
      await context.openCleanUp(kind);
      return undefined;
    },
  };
}

/** The arguments of all prune commands of one kind. Each accepts some of them. */
export interface PruneKindArguments {
  /** Also remove tagged images, named volumes. */
  readonly all?: boolean;
  /** Keep what was created within this duration, such as `24h`. */
  readonly until?: string;
  /** Also remove the anonymous volumes of the containers. */
  readonly volumes?: boolean;
  /** Remove nothing; return what would be removed. */
  readonly dryRun?: boolean;
}

/** Items that were removed or would be removed. */
export interface PrunedKind {
  /** IDs, or the names of volumes. */
  readonly removed: readonly string[];
  /** IDs, or the names of volumes, of what could not be removed. */
  readonly kept: readonly string[];
  /** Why everything else of this kind is kept, too. */
  readonly reasons: readonly KeptReason[];
  /** In bytes; absent if the engine does not report it. */
  readonly freed?: number;
}

interface KeptReason {
  readonly id: string;
  readonly name: string;
  /** For the user. */
  readonly reason: string;
}

/** Networks use no disk space. */
function pruned(
  plan: PrunePlan,
  kind: CleanupKind,
  { removed, kept, freed = sizeOf(removed) }: Removal,
): PrunedKind {
  const reasons = [...kept, ...plan.kept].map(([item, reason]): KeptReason => {
    return { id: item.id, name: exactName(item), reason };
  });
  return {
    removed: removed.map(({ id }) => id),
    kept: [...kept.keys()].map(({ id }) => id),
    reasons,
    ...(freed !== undefined && kind !== 'networks' && { freed }),
  };
}
