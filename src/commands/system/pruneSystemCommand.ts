import type { PlainCommand } from '../command.ts';
import type { Ui } from '../ui.ts';
import { judgeForPrune, sizeOf } from './cleanup.ts';
import { exactName } from './cleanupItem.ts';
import { CLEANUP_KINDS, type CleanupKind } from './cleanupKinds.ts';
import { listContents } from './listContents.ts';
import { removeItems, type Removal } from './removeItems.ts';
import { momentOfAge, parseAge } from './parseAge.ts';

interface PruneArguments {
  readonly kinds: readonly CleanupKind[];
  /** Also remove tagged images, named volumes, and the build cache that images share. */
  readonly all?: boolean;
  /** Keep what is younger than this duration. */
  readonly until?: string;
  /** Remove nothing; return what would be removed. */
  readonly dryRun?: boolean;
}

/** What was removed or would be removed. */
interface Pruned {
  readonly removed: readonly PrunedItem[];
  readonly kept: readonly KeptItem[];
  /** In bytes; absent if the engine does not tell. */
  readonly freed?: number;
}

interface PrunedItem {
  readonly kind: CleanupKind;
  readonly name: string;
  /** In bytes; absent if the engine does not tell. */
  readonly size?: number;
}

/** What is in use, outside the scope, or could not be removed. */
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
export const pruneSystemCommand = (ui: Ui): PlainCommand<PruneArguments, Pruned> => ({
  id: 'gantry.system.prune',
  schema: {
    kinds: {
      kind: {
        check: areKinds,
        expected: ui.l10n.t('an array of {0}', CLEANUP_KINDS.map((one) => `"${one}"`).join(', ')),
      },
      required: true,
    },
    all: { kind: 'boolean' },
    until: { kind: 'text' },
    dryRun: { kind: 'boolean' },
  },
  failureTitle: ui.l10n.t('Could not prune'),
  run: async ({ kinds, all = false, until, dryRun }, context, signal) => {
    const age = parseAge(until, ui.l10n);
    const connection = await context.engine.connect(signal);
    const limit = await momentOfAge(connection, age, signal);
    const found = await listContents(connection, kinds, signal);
    const isExcluded = context.exclusions.of(context.unit.id);
    const verdicts = judgeForPrune(found, { kinds, all, until: limit, isExcluded }, ui.l10n);
    const items = verdicts.flatMap(({ item, reason }) => (reason === undefined ? [item] : []));
    const kept = new Map(
      verdicts.flatMap(({ item, reason }) => (reason === undefined ? [] : [[item, reason]])),
    );
    if (dryRun === true) return pruned({ removed: [...items], kept });
    const removal: Removal = { removed: [], kept };
    await removeItems(context, connection, items, removal, {}, signal);
    return pruned(removal);
  },
  runInteractive: async (context) => {
    await context.openCleanUp();
    return undefined;
  },
});

function pruned({ removed, kept }: Removal): Pruned {
  const freed = sizeOf(removed);
  return {
    removed: removed.map((item) => ({
      ...{ kind: item.kind, name: exactName(item) },
      ...(item.size !== undefined && { size: item.size }),
    })),
    kept: [...kept].map(([item, reason]) => ({ kind: item.kind, name: exactName(item), reason })),
    ...(freed !== undefined && { freed }),
  };
}
