import { isAnonymousVolume, type Container } from '../../engine/model.ts';
import type { L10n } from '../../l10n.ts';
import { swarmServiceOf } from '../../projects/projectLabels.ts';
import { formatSize, joinParts } from '../../views/format.ts';
import type { PlainCommand } from '../command.ts';
import type { CommandContext } from '../commandContext.ts';
import { formatItemText } from '../formatNames.ts';
import { withHeading } from '../forms/askReference.ts';
import { findUnused, formatReclaimed, sizeOf } from '../system/cleanup.ts';
import type { CleanupItem } from '../system/cleanupItem.ts';
import { listContents } from '../system/listContents.ts';
import { removeItems, type Removal } from '../system/removeItems.ts';
import { removeWithProgress } from '../system/removeWithProgress.ts';
import { momentOfAge, parseAge } from '../system/parseAge.ts';
import type { Ui } from '../ui.ts';
import { removeContainerQuestion } from './removeContainerQuestion.ts';

interface PruneArguments {
  /** Keep containers that were created within this duration, such as `24h`. */
  readonly until?: string;
  /** Also remove the anonymous volumes of the containers. */
  readonly volumes?: boolean;
  /** Remove nothing; return what would be removed. */
  readonly dryRun?: boolean;
}

/** The containers that were removed or would be removed. */
interface Pruned {
  /** IDs. */
  readonly removed: readonly string[];
  /** IDs of the containers that could not be removed. */
  readonly kept: readonly string[];
  /** In bytes, without volumes; absent if the engine does not tell. */
  readonly freed?: number;
}

type StoppedItem = Extract<CleanupItem, { kind: 'containers' }>;

/** Removes stopped containers, and those that were never started. */
export const pruneContainersCommand = (ui: Ui): PlainCommand<PruneArguments, Pruned> => ({
  id: 'gantry.containers.prune',
  schema: { until: { kind: 'text' }, volumes: { kind: 'boolean' }, dryRun: { kind: 'boolean' } },
  failureTitle: ui.l10n.t('Could not prune containers'),
  run: async ({ until, volumes, dryRun }, context, signal) => {
    const age = parseAge(until, ui.l10n);
    const { connection, items } = await findStopped(context, age, signal);
    const removal: Removal = { removed: [], kept: new Map() };
    if (dryRun === true) return pruned({ ...removal, removed: [...items] });
    await removeItems(context, connection, items, removal, { volumes: volumes === true }, signal);
    return pruned(removal);
  },
  runInteractive: pruneInteractively,
});

/** Lets the user select which of the stopped containers to remove. */
async function pruneInteractively(context: CommandContext): Promise<Pruned | undefined> {
  const { ui } = context;
  const { l10n } = ui;
  const title = l10n.t('Looking for stopped containers');
  const { connection, items } = await ui.progress(title, 'late', (signal) =>
    findStopped(context, undefined, signal),
  );
  if (items.length === 0) {
    ui.info(l10n.t('No stopped containers found.'));
    return undefined;
  }
  const picked = await pickStopped(ui, context.titleOf(l10n.t('Prune Containers')), items);
  if (!picked || picked.length === 0) return undefined;
  const options = await ask(ui, picked);
  return options && pruned(await removeWithProgress(context, connection, picked, options));
}

async function findStopped(
  { engine, ui }: CommandContext,
  age: number | undefined,
  signal: AbortSignal,
) {
  const connection = await engine.connect(signal);
  const until = await momentOfAge(connection, age, signal);
  const found = await listContents(connection, ['containers'], signal);
  const items = findUnused(found, { kinds: ['containers'], all: false, until }, ui.l10n);
  return { connection, items: items.filter((item) => item.kind === 'containers') };
}

/** One that was never started may be about to be, so it is not checked at first. */
async function pickStopped(
  ui: Ui,
  title: string,
  items: readonly StoppedItem[],
): Promise<readonly StoppedItem[] | undefined> {
  const { l10n } = ui;
  const isCreated = ({ item }: { readonly item: StoppedItem }): boolean =>
    item.seen.state === 'created';
  const rows = items.map((item) => rowOf(item, l10n));
  const checked = await ui.pickMany({
    title: (now) =>
      l10n.t(
        '{0}: {1} of {2}. {3}',
        title,
        now.length,
        items.length,
        formatReclaimed(
          now.map(({ item }) => item),
          l10n,
        ),
      ),
    placeholder: l10n.t('Select containers to remove'),
    items: [
      ...withHeading(
        l10n.t('stopped'),
        rows.filter((row) => !isCreated(row)),
      ),
      ...withHeading(l10n.t('never started'), rows.filter(isCreated)),
    ],
    isChecked: (row) => !isCreated(row),
  });
  return checked?.map(({ item }) => item);
}

function rowOf(item: StoppedItem, l10n: L10n) {
  const { name, size, seen } = item;
  const volumes = anonymousVolumes(seen);
  return {
    label: name,
    description: joinParts(
      formatItemText(seen.status || seen.state),
      size === undefined ? '' : formatSize(size),
      volumes === 0 ? '' : l10n.t('anonymous volumes: {0}', volumes),
    ),
    item,
  };
}

function anonymousVolumes({ mounts }: Container): number {
  return mounts.filter(
    ({ volume }) => volume !== undefined && isAnonymousVolume({ name: volume, labels: {} }),
  ).length;
}

/** Asks whether to remove, and whether with anonymous volumes. Resolves to undefined if the user cancels. */
async function ask(
  ui: Ui,
  items: readonly StoppedItem[],
): Promise<{ readonly volumes: boolean } | undefined> {
  const { l10n } = ui;
  const { question, detail } = removeContainerQuestion(
    items.map(({ name, seen }) => ({
      name,
      isRunning: false,
      service: swarmServiceOf(seen),
    })),
    l10n,
  );
  const volumes = items.reduce((count, { seen }) => count + anonymousVolumes(seen), 0);
  const lines = [formatReclaimed(items, l10n), detail];
  const remove = l10n.t('Remove');
  if (volumes === 0)
    return (await ui.confirm(question, lines.join('\n'), remove)) ? { volumes: false } : undefined;
  const withVolumes = l10n.t('Remove with Anonymous Volumes');
  const more = l10n.t('Anonymous volumes of these containers: {0}.', volumes);
  const answer = await ui.choose(question, [more, ...lines].join('\n'), [remove, withVolumes]);
  return answer === undefined ? undefined : { volumes: answer === withVolumes };
}

function pruned({ removed, kept }: Removal): Pruned {
  const freed = sizeOf(removed);
  return {
    removed: removed.map(({ id }) => id),
    kept: [...kept.keys()].map(({ id }) => id),
    ...(freed !== undefined && { freed }),
  };
}
