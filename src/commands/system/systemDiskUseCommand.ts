import * as l10n from '@vscode/l10n';
import { formatSize, joinParts } from '../../views/format.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import type { PickItem, Ui } from '../ui/ui.ts';
import { kindUses } from './kindUses.ts';
import { DISK_KINDS, type KindUse } from '../../engine/system/cleanupKinds.ts';
import { listContents } from './listContents.ts';
import { kindLabels } from './kindLabels.ts';

/** Returns what uses disk space. Runs only on request, because it is expensive for the engine. */
export const systemDiskUseCommand = (ui: Ui): PlainCommand<object, readonly KindUse[]> => ({
  id: 'gantry.system.diskUse',
  schema: {},
  failureTitle: l10n.t('Could not get the disk usage'),
  run: (_, context, signal) => measure(context, signal),
  runInteractive: async (context) => {
    const uses = await ui.progress(l10n.t('Calculating disk usage'), 'late', (signal) =>
      measure(context, signal),
    );
    await showUses(context, uses);
    return uses;
  },
});

async function measure(
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
