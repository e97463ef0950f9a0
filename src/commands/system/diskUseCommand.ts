import * as l10n from '@vscode/l10n';
import { temporaryImageOwner } from '../../engine/images/temporaryMarks.ts';
import { wholeDiskUse } from '../../engine/system/wholeDiskUse.ts';
import { formatSize, joinParts } from '../../views/format.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { unusedImages, kindUses } from './kindUses.ts';
import { listWithoutUse, listContents } from './listContents.ts';
import {
  formatReclaimableSpace,
  reclaimableSpace,
  type ReclaimableSpace,
} from './formatReclaimed.ts';
import type { Ui, PickItem } from '../ui/ui.ts';
import { DISK_KINDS, type KindUse } from '../../engine/system/cleanupKinds.ts';
import { kindLabels } from './cleanupItem.ts';

/** The disk space that the images of an engine use. */
interface ImagesUse {
  readonly images: number;
  /** In bytes, with each layer counted once. If the engine does not know that, the sum of all images. */
  readonly size: number;
  /** Whether shared layers are counted once. */
  readonly isExact: boolean;
  /** The images that no container uses. */
  readonly unused: { readonly images: number } & ReclaimableSpace;
}

/** Returns the disk space that images use. Runs only on request, because it is expensive for the engine. */
export const diskUseCommand = (ui: Ui): PlainCommand<object, ImagesUse> => ({
  id: 'gantry.images.diskUse',
  schema: {},
  failureTitle: l10n.t('Could not get the disk usage of the images'),
  run: (_, context, signal) => measure(context, signal),
  runInteractive: async (context) => {
    const use = await ui.progress(l10n.t('Calculating image disk usage'), 'late', (signal) =>
      measure(context, signal),
    );
    ui.info(context.titleOf(formatImagesUse(use)), {
      title: l10n.t('Clean Up...'),
      run: () => context.openCleanUp('images'),
    });
    return use;
  },
});

/** Returns what uses disk space. Runs only on request, because it is expensive for the engine. */
export const systemDiskUseCommand = (ui: Ui): PlainCommand<object, readonly KindUse[]> => ({
  id: 'gantry.system.diskUse',
  schema: {},
  failureTitle: l10n.t('Could not get the disk usage'),
  run: (_, context, signal) => measureAll(context, signal),
  runInteractive: async (context) => {
    const uses = await ui.progress(l10n.t('Calculating disk usage'), 'late', (signal) =>
      measureAll(context, signal),
    );
    await showUses(context, uses);
    return uses;
  },
});

async function measure({ engine }: CommandContext, signal: AbortSignal): Promise<ImagesUse> {
  const connection = await engine.connect(signal);
  const [lists, use] = await Promise.all([
    listWithoutUse(connection, ['images'], signal),
    wholeDiskUse(connection, signal, 'image'),
  ]);
  const images = lists.images.filter((one) => temporaryImageOwner(one) === undefined);
  const unused = unusedImages({ ...lists, use });
  const { layers } = use.images;
  return {
    images: images.length,
    size: layers ?? images.reduce((sum, { size }) => sum + size, 0),
    isExact: layers !== undefined,
    unused: { images: unused.length, ...reclaimableSpace(unused) },
  };
}

function formatImagesUse({ images, size, isExact, unused }: ImagesUse): string {
  const all = isExact
    ? l10n.t('Disk usage of {0} images: {1}.', images, formatSize(size))
    : l10n.t('Disk usage of {0} images: at most {1}.', images, formatSize(size));
  if (unused.images === 0) return all;
  const rest = l10n.t('Unused images: {0}.', unused.images);
  return [all, rest, formatReclaimableSpace(unused)].join(' ');
}

async function measureAll(
  { engine }: CommandContext,
  signal: AbortSignal,
): Promise<readonly KindUse[]> {
  return kindUses(await listContents(await engine.connect(signal), DISK_KINDS, signal));
}

interface UseItem extends PickItem {
  readonly opensPage: boolean;
}

/** Shows a list whose last item leads to the clean-up page. */
async function showUses(context: CommandContext, uses: readonly KindUse[]): Promise<void> {
  const { ui } = context;
  const kinds = kindLabels();
  const rows = uses.map(({ kind, count, size, reclaimable, isAtLeast }): UseItem => ({
    label: kinds[kind],
    description: joinParts(
      String(count),
      isAtLeast ? l10n.t('at least {0}', formatSize(size)) : formatSize(size),
      l10n.t('{0} reclaimable', formatSize(reclaimable)),
    ),
    opensPage: false,
  }));
  const page = { label: l10n.t('Clean Up...'), icon: 'trash', heading: '', opensPage: true };
  const picked = await ui.pick<UseItem>({
    title: context.titleOf(l10n.t('Disk Usage')),
    placeholder: l10n.t('Select Clean Up to choose what to remove'),
    items: [...rows, page],
  });
  if (picked?.opensPage === true) await context.openCleanUp();
}
