import type { Connection } from '../../engine/http/connection.ts';
import { formatSize, joinParts } from '../../views/format.ts';
import type { PlainCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import type { PickItem, Ui } from '../ui.ts';
import { withErrorMessage } from '../withErrorMessage.ts';
import { DISK_KINDS, usesOf, type KindUse } from './kindUses.ts';
import { listContents } from './listContents.ts';
import { kindLabels } from './pickCleanup.ts';
import { pruneSystemCommand, pruneSystemInteractively } from './pruneSystemCommand.ts';

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
  return usesOf(await listContents(connection, DISK_KINDS, signal));
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
