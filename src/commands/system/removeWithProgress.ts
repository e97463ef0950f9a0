import * as l10n from '@vscode/l10n';
import type { Connection } from '../../engine/http/connection.ts';
import { formatSize } from '../../views/format.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { formatName, formatReasons } from '../ui/formatNames.ts';
import type { Ui } from '../ui/ui.ts';
import { itemsOf, type CleanupItem } from './cleanupItem.ts';
import { sizeOf } from './formatReclaimed.ts';
import { removeItems, removeNothing, type Removal, type RemovalOptions } from './removeItems.ts';

/**
 * Removes items for the user, with progress, and reports what was done; also after Cancel.
 *
 * @throws what {@link removeItems} throws, after the message.
 */
export async function removeWithProgress(
  context: CommandContext,
  connection: Connection,
  items: readonly CleanupItem[],
  options: RemovalOptions = {},
): Promise<Removal> {
  const { ui } = context;
  const removal = removeNothing();
  try {
    await ui.progress(l10n.t('Pruning'), 'late', (signal, report) => {
      const onItem = ({ name }: CleanupItem, index: number): void => {
        report({ message: formatName(name), percent: (100 * index) / items.length });
      };
      return removeItems(context, { connection, items, removal, ...options, onItem }, signal);
    });
    return removal;
  } finally {
    showRemoval(ui, items.length, removal);
  }
}

function showRemoval(ui: Ui, count: number, removal: Removal): void {
  const { removed, kept } = removal;
  const done = [l10n.t('Removed {0} of {1} items.', removed.length, count), formatFreed(removal)];
  if (kept.size === 0) {
    ui.info(done.filter((text) => text !== '').join(' '));
    return;
  }
  const why = [...kept].map(([{ name }, reason]) => l10n.t('{0}: {1}', formatName(name), reason));
  ui.warn([...done, formatReasons(why)].filter((text) => text !== '').join(' '));
}

/** Networks need no space. Layers that only removed images share are known only if they were measured. */
function formatFreed({ removed, freed }: Removal): string {
  const size = freed ?? sizeOf(removed);
  if (size === undefined || removed.every(({ kind }) => kind === 'networks')) return '';
  return freed === undefined && itemsOf('images', removed).length > 0
    ? l10n.t('Reclaimed at least {0}.', formatSize(size))
    : l10n.t('Reclaimed {0}.', formatSize(size));
}
