import * as l10n from '@vscode/l10n';
import type { PlainCommand } from '../frame/command.ts';
import { exactName } from './cleanupItem.ts';
import { CLEANUP_KINDS, type CleanupKind } from '../../engine/system/cleanupKinds.ts';
import { planPrune } from './planPrune.ts';
import { sizeOf } from './formatReclaimed.ts';
import { removeItems, type Removal } from './removeItems.ts';

interface PruneArguments {
  readonly kinds: readonly CleanupKind[];
  /** Also remove tagged images, named volumes, and the build cache that images share. */
  readonly all?: boolean;
  /** Keep what is younger than this duration. */
  readonly until?: string;
  /** Remove nothing; return what would be removed. */
  readonly dryRun?: boolean;
}

/** Items that were removed or would be removed. */
interface Pruned {
  readonly removed: readonly PrunedItem[];
  readonly kept: readonly KeptItem[];
  /** In bytes; absent if the engine does not report it. */
  readonly freed?: number;
}

interface PrunedItem {
  readonly kind: CleanupKind;
  readonly name: string;
  /** In bytes; absent if the engine does not report it. */
  readonly size?: number;
}

/** Item that is in use, outside the scope, or could not be removed. */
interface KeptItem {
  readonly kind: CleanupKind;
  readonly name: string;
  /** For the user. */
  readonly reason: string;
}

function areKinds(value: unknown): boolean {
  const known: readonly unknown[] = CLEANUP_KINDS;
  return Array.isArray(value) && value.length > 0 && value.every((one) => known.includes(one));
}

/** Removes what is not used: containers, images, volumes, networks and build cache. */
export const pruneSystemCommand = (): PlainCommand<PruneArguments, Pruned> => ({
  id: 'gantry.system.prune',
  schema: {
    kinds: {
      kind: {
        check: areKinds,
        expected: l10n.t('an array of {0}', CLEANUP_KINDS.map((one) => `"${one}"`).join(', ')),
      },
      required: true,
    },
    all: { kind: 'boolean' },
    until: { kind: 'text' },
    dryRun: { kind: 'boolean' },
  },
  failureTitle: l10n.t('Could not prune'),
  run: async ({ dryRun, ...scope }, context, signal) => {
    const { connection, items, kept, use } = await planPrune(context, scope, signal);
    const removal: Removal = { removed: [], kept: new Map(kept) };
    if (dryRun === true) return pruned({ ...removal, removed: [...items] });
    await removeItems(context, { connection, items, removal, use }, signal);
    return pruned(removal);
  },
  runInteractive: async (context) => {
    await context.openCleanUp();
    return undefined;
  },
});

function pruned({ removed, kept, freed = sizeOf(removed) }: Removal): Pruned {
  return {
    removed: removed.map((item) => ({
      kind: item.kind,
      name: exactName(item),
      ...(item.size !== undefined && { size: item.size }),
    })),
    kept: [...kept].map(([item, reason]) => ({ kind: item.kind, name: exactName(item), reason })),
    ...(freed !== undefined && { freed }),
  };
}

interface PageArguments {
  /** Shows only this kind at first; all by default. */
  readonly kind?: CleanupKind;
}

/** Opens the page that shows what uses disk space, and removes what the user selects there. */
export const cleanUpCommand = (): PlainCommand<PageArguments, OpenedPage> => ({
  id: 'gantry.system.cleanUp',
  schema: { kind: { kind: { oneOf: CLEANUP_KINDS } } },
  failureTitle: l10n.t('Could not open the clean-up page'),
  run: ({ kind }, context) => context.openCleanUp(kind),
  runInteractive: (context) => context.openCleanUp(),
});

/** Opens the clean-up page for the build cache alone. */
export const cleanUpBuildCacheCommand = (): PlainCommand<object, OpenedPage> => ({
  id: 'gantry.builds.pruneCache',
  schema: {},
  failureTitle: l10n.t('Could not open the clean-up page'),
  run: (_, context) => context.openCleanUp('buildCache'),
  runInteractive: (context) => context.openCleanUp('buildCache'),
});

interface OpenedPage {
  readonly title: string;
}
