import type { Connection } from '../../engine/http/connection.ts';
import { isAnonymousVolume, type Volume } from '../../engine/model.ts';
import { removeVolumes, type RemovedVolumes } from '../../engine/volumes/removeVolumes.ts';
import { DisposableStore } from '../../lifetime.ts';
import { formatSize, joinParts } from '../../views/format.ts';
import { volumeTitle } from '../../views/volumes/presentVolume.ts';
import type { PlainCommand } from '../command.ts';
import type { CommandContext } from '../commandContext.ts';
import { errorMessage } from '../errorMessage.ts';
import { formatName, formatNames, formatReasons } from '../formatNames.ts';
import { withHeading } from '../forms/askReference.ts';
import type { Ui } from '../ui.ts';
import { volumesWithUsers } from './listVolumesCommand.ts';
import { sizesIfKnown, sizeText, totalSize, type SizeByVolume } from './volumeSizes.ts';

interface PruneArguments {
  /** Also remove named volumes. */
  readonly all?: boolean;
  /** Remove nothing; return what would be removed. */
  readonly dryRun?: boolean;
}

/** The volumes that were removed or would be removed. */
interface Pruned {
  /** Names. */
  readonly removed: readonly string[];
  /** Names of the volumes that could not be removed. */
  readonly kept: readonly string[];
  /** In bytes; absent if the engine does not tell. */
  readonly freed?: number;
}

/** Removes unused volumes: anonymous ones, and named ones only on request. */
export const pruneVolumesCommand = ({ l10n }: Ui): PlainCommand<PruneArguments, Pruned> => ({
  id: 'gantry.volumes.prune',
  schema: { all: { kind: 'boolean' }, dryRun: { kind: 'boolean' } },
  failureTitle: l10n.t('Could not prune volumes'),
  run: async ({ all, dryRun }, context, signal) => {
    const found = await findUnused(context, signal);
    const wanted = found.unused.filter((one) => all === true || isAnonymousVolume(one));
    if (dryRun !== true) return pruned(await remove(context, found, wanted, signal), found);
    return pruned({ removed: wanted.map(({ name }) => name), kept: new Map() }, found);
  },
  runInteractive: pruneInteractively,
});

/** Lets the user select which of the unused volumes to remove. Anonymous volumes are checked at first. */
async function pruneInteractively(context: CommandContext): Promise<Pruned | undefined> {
  const { ui } = context;
  const { l10n } = ui;
  const found = await ui.progress(l10n.t('Looking for unused volumes'), 'late', (signal) =>
    findUnused(context, signal),
  );
  if (found.unused.length === 0) {
    ui.info(l10n.t('No unused volumes found.'));
    return undefined;
  }
  const picked = await pickUnused(ui, context.titleOf(l10n.t('Prune Volumes')), found);
  if (!picked || picked.length === 0 || !(await isSure(ui, picked, found))) return undefined;
  const done = await ui.progress(l10n.t('Pruning volumes'), 'late', (signal) =>
    remove(context, found, picked, signal),
  );
  const result = pruned(done, found);
  showPruned(ui, picked.length, done, result.freed);
  return result;
}

interface Found {
  readonly connection: Connection;
  readonly unused: readonly Volume[];
  /** Names of the volumes that containers use. */
  readonly used: readonly string[];
  readonly sizes: SizeByVolume | undefined;
}

async function findUnused({ engine }: CommandContext, signal: AbortSignal): Promise<Found> {
  const connection = await engine.connect(signal);
  const [all, sizes] = await Promise.all([
    volumesWithUsers(connection, signal),
    sizesIfKnown(connection, signal),
  ]);
  const used = all.filter(({ usedBy }) => usedBy.length > 0);
  const unused = all.filter((one) => !used.includes(one)).map(({ volume }) => volume);
  return { connection, unused, used: used.map(({ volume }) => titleOf(volume)), sizes };
}

/** Resolves to undefined if the user cancels. */
async function pickUnused(
  ui: Ui,
  title: string,
  { unused, sizes }: Found,
): Promise<readonly Volume[] | undefined> {
  const { l10n } = ui;
  const items = unused
    .toSorted((a, b) => (sizes?.get(b.name) ?? 0) - (sizes?.get(a.name) ?? 0))
    .map((volume) => ({
      label: titleOf(volume),
      description: joinParts(sizeText(volume.name, sizes), volumeTitle(volume).project),
      volume,
    }));
  const anonymous = items.filter(({ volume }) => isAnonymousVolume(volume));
  const named = items.filter(({ volume }) => !isAnonymousVolume(volume));
  const checked = await ui.pickMany({
    title: (now) =>
      l10n.t(
        '{0}: {1} of {2}. {3}',
        title,
        now.length,
        unused.length,
        formatReclaimed(
          now.map(({ volume }) => volume),
          sizes,
          ui,
        ),
      ),
    placeholder: l10n.t('Select volumes to remove'),
    items: [...withHeading(l10n.t('anonymous'), anonymous), ...withHeading(l10n.t('named'), named)],
    isChecked: ({ volume }) => isAnonymousVolume(volume),
  });
  return checked?.map(({ volume }) => volume);
}

function formatReclaimed(
  volumes: readonly Volume[],
  sizes: SizeByVolume | undefined,
  { l10n }: Ui,
): string {
  const size = totalSize(volumes, sizes);
  return size === undefined
    ? l10n.t('Reclaims an unknown amount of space.')
    : l10n.t('Reclaims {0}.', formatSize(size));
}

/** Says first what is lost, then what is kept. */
function isSure(ui: Ui, volumes: readonly Volume[], found: Found): Promise<boolean> {
  const { l10n } = ui;
  const [first] = volumes;
  const isOne = volumes.length === 1;
  const question =
    isOne && first
      ? l10n.t('Remove the volume {0}?', formatName(titleOf(first)))
      : l10n.t('Remove {0} volumes?', volumes.length);
  const lines = [
    isOne ? l10n.t('All files in it are deleted.') : l10n.t('All files in them are deleted.'),
    formatReclaimed(volumes, found.sizes, ui),
    isOne ? '' : l10n.t('Volumes to remove: {0}.', formatNames(volumes.map(titleOf), l10n)),
    found.used.length === 0
      ? ''
      : l10n.t('Used by containers, not removed: {0}.', formatNames(found.used, l10n)),
  ];
  const detail = lines.filter((line) => line !== '').join('\n');
  return ui.confirm(question, detail, l10n.t('Remove'));
}

async function remove(
  { activity, inventory }: CommandContext,
  { connection }: Found,
  volumes: readonly Volume[],
  signal: AbortSignal,
): Promise<RemovedVolumes> {
  const busy = new DisposableStore();
  for (const { name } of volumes) busy.add(activity.begin(name, 'removing'));
  try {
    return await removeVolumes(connection, volumes, signal);
  } finally {
    busy.dispose();
    // Not every engine sends an event for it.
    inventory.volumes.markStale();
  }
}

function pruned({ removed, kept }: RemovedVolumes, { sizes }: Found): Pruned {
  const freed = totalSize(
    removed.map((name) => ({ name })),
    sizes,
  );
  return { removed, kept: [...kept.keys()], ...(freed !== undefined && { freed }) };
}

function showPruned(
  ui: Ui,
  count: number,
  { removed, kept }: RemovedVolumes,
  freed: number | undefined,
): void {
  const { l10n } = ui;
  const done =
    freed === undefined
      ? l10n.t('Removed {0} of {1} volumes.', removed.length, count)
      : l10n.t(
          'Removed {0} of {1} volumes. Reclaimed {2}.',
          removed.length,
          count,
          formatSize(freed),
        );
  if (kept.size === 0) {
    ui.info(done);
    return;
  }
  const why = [...kept].map(([name, error]) =>
    l10n.t('{0}: {1}', formatName(name), errorMessage(error, l10n)),
  );
  ui.warn([done, formatReasons(why, l10n)].join(' '));
}

/** In a list of several projects, the short name alone is ambiguous. */
function titleOf(volume: Volume): string {
  return isAnonymousVolume(volume) ? volumeTitle(volume).title : volume.name;
}
