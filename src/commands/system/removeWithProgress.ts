import type { Connection } from '../../engine/http/connection.ts';
import { formatSize } from '../../views/format.ts';
import type { CommandContext } from '../commandContext.ts';
import { formatName, formatReasons } from '../formatNames.ts';
import type { Ui } from '../ui.ts';
import { sizeOf } from './cleanup.ts';
import type { CleanupItem } from './cleanupItem.ts';
import { removeItems, type Removal, type RemovalOptions } from './removeItems.ts';

/**
 * Removes items for the user, with progress, and says what was done; also after Cancel.
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
  const removal: Removal = { removed: [], kept: new Map() };
  try {
    await ui.progress(ui.l10n.t('Pruning'), 'late', (signal, report) =>
      removeItems(context, connection, items, removal, options, signal, ({ name }, index) => {
        report({ message: formatName(name), percent: (100 * index) / items.length });
      }),
    );
    return removal;
  } finally {
    showRemoval(ui, items.length, removal);
  }
}

function showRemoval(ui: Ui, count: number, { removed, kept }: Removal): void {
  const { l10n } = ui;
  const freed = sizeOf(removed);
  const done =
    freed === undefined
      ? l10n.t('Removed {0} of {1} items.', removed.length, count)
      : l10n.t(
          'Removed {0} of {1} items. Reclaimed {2}.',
          removed.length,
          count,
          formatSize(freed),
        );
  if (kept.size === 0) {
    ui.info(done);
    return;
  }
  const why = [...kept].map(([{ name }, reason]) => l10n.t('{0}: {1}', formatName(name), reason));
  ui.warn([done, formatReasons(why, l10n)].join(' '));
}
