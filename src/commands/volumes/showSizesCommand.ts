import * as l10n from '@vscode/l10n';
import { listVolumes } from '../../engine/volumes/volumes.ts';
import { listKnownSizes } from '../../engine/volumes/knownSizes.ts';
import { formatSize, joinParts } from '../../views/format.ts';
import { volumeTitle } from '../../views/volumes/presentVolume.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import type { Ui } from '../ui/ui.ts';

interface SizedVolume {
  readonly name: string;
  /** In bytes; absent if the engine does not know. */
  readonly size?: number;
}

/**
 * Returns the sizes of all volumes, the largest first, and shows them in the rows. Runs only on request, because it is
 * expensive.
 */
export const showSizesCommand = (ui: Ui): PlainCommand<object, readonly SizedVolume[]> => ({
  id: 'gantry.volumes.showSizes',
  schema: {},
  failureTitle: l10n.t('Could not get the sizes of the volumes'),
  run: async (_, context, signal) => (await measure(context, signal)).volumes,
  runInteractive: async (context) => {
    const { items, volumes } = await ui.progress(
      l10n.t('Calculating volume sizes'),
      'late',
      (signal) => measure(context, signal),
    );
    if (items.length === 0) {
      ui.info(l10n.t('There are no volumes.'));
      return volumes;
    }
    // Not a number if one of the sizes is unknown.
    const total = volumes.reduce((sum, { size = NaN }) => sum + size, 0);
    const sum = Number.isNaN(total) ? l10n.t('unknown') : formatSize(total);
    const title = context.titleOf(l10n.t('Volume Sizes'));
    const placeholder =
      items.length === 1
        ? l10n.t('1 volume, total size: {0}', sum)
        : l10n.t('{0} volumes, total size: {1}', items.length, sum);
    await ui.pick({ title, placeholder, items });
    return volumes;
  },
});

async function measure({ engine, inventory }: CommandContext, signal: AbortSignal) {
  const connection = await engine.connect(signal);
  const [listed, sizes] = await Promise.all([
    listVolumes(connection, {}, signal),
    listKnownSizes(connection, signal),
  ]);
  inventory.volumeSizes.replace(sizes);
  const sorted = listed.toSorted((a, b) => (sizes.get(b.name) ?? -1) - (sizes.get(a.name) ?? -1));
  const volumes = sorted.map(({ name }): SizedVolume => {
    const size = sizes.get(name);
    return { name, ...(size !== undefined && { size }) };
  });
  const items = sorted.map((volume) => {
    const { title, project } = volumeTitle(volume);
    const size = sizes.get(volume.name);
    const known = size === undefined ? l10n.t('unknown size') : formatSize(size);
    return { label: title, description: joinParts(known, project) };
  });
  return { volumes, items };
}
