import { isStopped } from '../../engine/containers/removeStopped.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { isTemporaryContainer } from '../../engine/images/withTemporaryContainer.ts';
import { formatSize, joinParts } from '../../views/format.ts';
import type { PlainCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { reclaimableSpace, unusedImages } from '../images/unusedImages.ts';
import type { PickItem, Ui } from '../ui.ts';
import { withErrorMessage } from '../withErrorMessage.ts';
import { usedVolumes, type EngineContents } from './cleanup.ts';
import { listContents } from './listContents.ts';
import { kindLabels } from './pickCleanup.ts';
import { pruneSystemCommand, pruneSystemInteractively } from './pruneSystemCommand.ts';

/** The kinds that use disk space. */
const KINDS = ['images', 'containers', 'volumes', 'buildCache'] as const;

/** The disk space that one kind uses. */
interface KindUse {
  readonly kind: (typeof KINDS)[number];
  readonly count: number;
  /** In bytes. Of containers only the writable layers; a volume of unknown size counts as 0. */
  readonly size: number;
  /** In bytes: what is not used. */
  readonly reclaimable: number;
}

/** Returns what uses disk space. Runs only on request, because it is expensive for the engine. */
export const systemDiskUseCommand = (ui: Ui): PlainCommand<object, readonly KindUse[]> => ({
  id: 'gantry.system.diskUse',
  schema: {},
  failureTitle: ui.l10n.t('Could not get the disk usage'),
  run: async (_, context, signal) => measure(await context.engine.connect(signal), signal),
  runInteractive: async (context) => {
    const uses = await ui.progress(ui.l10n.t('Calculating disk usage'), 'late', async (signal) =>
      measure(await context.engine.connect(signal), signal),
    );
    await showUses(context, uses);
    return uses;
  },
});

async function measure(connection: Connection, signal: AbortSignal): Promise<readonly KindUse[]> {
  const found = await listContents(connection, KINDS, signal);
  return [imagesUse(found), containersUse(found), volumesUse(found), cacheUse(found)];
}

/** If the engine does not know what images share, the sum of all images. */
function imagesUse({ images, containers, use }: EngineContents): KindUse {
  const used = new Set(containers.map(({ imageId }) => imageId));
  const unused = unusedImages(images, used, { onlyDangling: false }, use?.images);
  const { atLeast, atMost } = reclaimableSpace(unused);
  const size = use?.images.layers ?? sum(images.map((image) => image.size));
  return { kind: 'images', count: images.length, size, reclaimable: atLeast ?? atMost };
}

function containersUse({ containers, use }: EngineContents): KindUse {
  const own = containers.filter((one) => !isTemporaryContainer(one));
  const size = (some: typeof own): number =>
    sum(some.map(({ id }) => use?.containers.get(id) ?? 0));
  return {
    ...{ kind: 'containers', count: own.length },
    ...{ size: size(own), reclaimable: size(own.filter(isStopped)) },
  };
}

function volumesUse({ volumes, containers, use }: EngineContents): KindUse {
  const used = usedVolumes(containers);
  const size = (some: typeof volumes): number =>
    sum(some.map(({ name }) => use?.volumes.get(name) ?? 0));
  return {
    ...{ kind: 'volumes', count: volumes.length },
    ...{ size: size(volumes), reclaimable: size(volumes.filter(({ name }) => !used.has(name))) },
  };
}

/** What images share is counted there. */
function cacheUse({ use }: EngineContents): KindUse {
  const records = use?.buildCache ?? [];
  const own = records.filter(({ isShared }) => !isShared);
  const free = own.filter(({ isInUse }) => !isInUse);
  return {
    ...{ kind: 'buildCache', count: records.length },
    ...{ size: sum(own.map(({ size }) => size)), reclaimable: sum(free.map(({ size }) => size)) },
  };
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0);
}

interface UseItem extends PickItem {
  readonly prunes: boolean;
}

/** Shows a list whose last item leads to the prune. */
async function showUses(context: CommandContext, uses: readonly KindUse[]): Promise<void> {
  const { ui } = context;
  const { l10n } = ui;
  const kinds = kindLabels(l10n);
  const rows = uses.map(({ kind, count, size, reclaimable }): UseItem => ({
    label: kinds[kind],
    description: joinParts(
      String(count),
      formatSize(size),
      l10n.t('{0} reclaimable', formatSize(reclaimable)),
    ),
    prunes: false,
  }));
  const prune = { label: l10n.t('Prune...'), icon: 'trash', heading: '', prunes: true };
  const picked = await ui.pick<UseItem>({
    title: context.titleOf(l10n.t('Disk Usage')),
    placeholder: l10n.t('Select Prune to choose what to remove'),
    items: [...rows, prune],
  });
  if (picked === undefined) return;
  await withErrorMessage(pruneSystemCommand(ui).failureTitle, context, () =>
    pruneSystemInteractively(context),
  );
}
