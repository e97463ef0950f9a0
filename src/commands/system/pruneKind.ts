import * as l10n from '@vscode/l10n';
import { isPredefinedNetwork } from '../../engine/model.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { formatEngine, formatLines, formatName, formatNames } from '../ui/formatNames.ts';
import { withHeading } from '../ui/askReference.ts';
import { removeNothing, removeItems, type Removal, type RemovalOptions } from './removeItems.ts';
import type { PickItem } from '../ui/ui.ts';
import { excludedMessage, isEasyToReplace } from './cleanupVerdicts.ts';
import { exactName, itemsOf, labelOf, type CleanupItem, type ItemOfKind } from './cleanupItem.ts';
import type { CleanupKind } from '../../engine/system/cleanupKinds.ts';
import { planPrune, type PrunePlan } from './planPrune.ts';
import { formatReclaimed, sizeOf } from './formatReclaimed.ts';
import { removeWithProgress } from './removeWithProgress.ts';

/** Returns what runs a prune of one kind, with an argument and for the user. */
export function pruneKind<Kind extends CleanupKind>(
  prunable: KindToPrune<Kind>,
): Pick<Required<PlainCommand<PruneKindArguments, PrunedKind>>, 'run' | 'runInteractive'> {
  const { kind } = prunable;
  return {
    run: async ({ all, until, volumes = false, dryRun }, context, signal) => {
      const plan = await planPrune(context, { kinds: [kind], all, until }, signal);
      const { connection, items, use } = plan;
      if (dryRun === true)
        return pruned(plan, prunable, { ...removeNothing(), removed: [...items] });
      const removal = removeNothing();
      await removeItems(context, { connection, items, removal, volumes, use }, signal);
      return pruned(plan, prunable, removal);
    },
    runInteractive: (context) => pruneInteractively(context, prunable),
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

/** Differences of the prune of one kind from the others. */
interface KindToPrune<Kind extends CleanupKind> {
  readonly kind: Kind;
  readonly title: string;
  /** The title of the progress while unused ones are looked for. */
  readonly searching: string;
  /** The message that there is nothing to remove. */
  readonly nothing: string;
  /** The placeholder of the list. */
  readonly select: string;
  /** The headings above what is checked at first, and above the rest; none if everything is checked. */
  readonly headings?: readonly [checked: string, others: string];
  /** Describes an item in the list. */
  readonly describe: (item: ItemOfKind<Kind>) => string;
  /** Returns the question before the removal. */
  readonly ask: (items: readonly ItemOfKind<Kind>[]) => PruneQuestion;
}

/** A question before things are removed. */
export interface PruneQuestion {
  readonly question: string;
  /** Sentences about what is lost and removed, below. */
  readonly lines: readonly string[];
  /** Another button besides _Remove_, and what it does. */
  readonly alternative?: { readonly button: string; readonly options: RemovalOptions };
}

/** Lets the user select which of the unused ones to remove. */
async function pruneInteractively<Kind extends CleanupKind>(
  context: CommandContext,
  prunable: KindToPrune<Kind>,
): Promise<PrunedKind | undefined> {
  const { ui } = context;
  const scope = { kinds: [prunable.kind], all: true };
  const plan = await ui.progress(prunable.searching, 'late', (signal) =>
    planPrune(context, scope, signal),
  );
  const items = itemsOf(prunable.kind, plan.items);
  if (items.length === 0) {
    ui.info([prunable.nothing, ...excludedText(plan)].join(' '));
    return undefined;
  }
  const picked = await pick(context, prunable, items, plan.running);
  if (!picked || picked.length === 0) return undefined;
  const options = await ask(context, prunable.ask(picked), plan);
  if (!options) return undefined;
  const all = { ...options, use: plan.use };
  return pruned(plan, prunable, await removeWithProgress(context, plan.connection, picked, all));
}

function excludedText({ kept }: PrunePlan): readonly string[] {
  const excluded = excludedMessage();
  const names = [...kept].flatMap(([item, reason]) => (reason === excluded ? [item.name] : []));
  return names.length === 0 ? [] : [l10n.t('Excluded by you: {0}.', formatNames(names))];
}

interface Row<Kind extends CleanupKind> extends PickItem {
  readonly item: ItemOfKind<Kind>;
}

/** The largest come first. Checked at first is what is easy to make again. */
async function pick<Kind extends CleanupKind>(
  { ui, titleOf }: CommandContext,
  { title, select, headings = ['', ''], describe }: KindToPrune<Kind>,
  items: readonly ItemOfKind<Kind>[],
  running: PrunePlan['running'],
): Promise<readonly ItemOfKind<Kind>[] | undefined> {
  const name = titleOf(title);
  const rows = items
    .toSorted((a, b) => rankOf(b) - rankOf(a))
    .map((item): Row<Kind> => ({ label: labelOf(item), description: describe(item), item }));
  const isChecked = ({ item }: Row<Kind>): boolean => isEasyToReplace(item, running);
  const others = rows.filter((row) => !isChecked(row));
  const checked = await ui.pickMany({
    title: (now) => {
      const reclaimed = formatReclaimed(now.map(({ item }) => item));
      const count = l10n.t('{0}: {1} of {2}', name, now.length, items.length);
      return reclaimed === '' ? count : l10n.t('{0}. {1}', count, reclaimed);
    },
    placeholder: select,
    items: [
      ...withHeading(headings[0], rows.filter(isChecked)),
      ...withHeading(headings[1], others),
    ],
    isChecked,
  });
  const chosen = new Set(checked?.map(({ item }) => item));
  // In the order of removal.
  return checked && items.filter((item) => chosen.has(item));
}

function rankOf(item: CleanupItem): number {
  return item.kind === 'images' ? item.seen.size : (item.size ?? 0);
}

/** Also names the engine, and what is kept. Resolves to undefined if the user cancels. */
async function ask(
  context: CommandContext,
  { question, lines, alternative }: PruneQuestion,
  plan: PrunePlan,
): Promise<RemovalOptions | undefined> {
  const { ui } = context;
  const all = [formatEngine(context), ...lines, ...keptLines(plan)];
  const detail = all.filter((line) => line !== '').join('\n');
  const remove = l10n.t('Remove');
  if (!alternative) return (await ui.confirm(question, detail, remove)) ? {} : undefined;
  const answer = await ui.choose(question, detail, [remove, alternative.button]);
  if (answer === undefined) return undefined;
  return answer === remove ? {} : alternative.options;
}

/** First what the user excluded. What belongs to the engine is not worth a line. */
function keptLines({ kept }: PrunePlan): readonly string[] {
  const own = [...kept].filter(
    ([item]) => item.kind !== 'networks' || !isPredefinedNetwork(item.seen),
  );
  if (own.length === 0) return [];
  const excluded = excludedMessage();
  const lines = own
    .toSorted(([, a], [, b]) => Number(b === excluded) - Number(a === excluded))
    .map(([item, reason]) => l10n.t('{0}: {1}', formatName(labelOf(item)), reason));
  return [l10n.t('Kept:'), formatLines(lines, 5)];
}

/** Networks use no disk space. */
function pruned(
  plan: PrunePlan,
  { kind }: Pick<KindToPrune<CleanupKind>, 'kind'>,
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
