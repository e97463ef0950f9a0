import * as l10n from '@vscode/l10n';
import { VolumeLostError } from '../../engine/volumes/volumeErrors.ts';
import { checkEmptiable, emptyVolume, restoreVolume } from '../../engine/volumes/emptyVolume.ts';
import type { SeenVolume } from '../../engine/volumes/removeVolume.ts';
import { inspectVolume } from '../../engine/volumes/volumes.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { pickRow } from '../frame/pickTarget.ts';
import { failureMessage } from '../ui/errorMessage.ts';
import { formatName } from '../ui/formatNames.ts';
import type { Ui } from '../ui/ui.ts';
import { withErrorMessage } from '../ui/withErrorMessage.ts';
import { checkGivenName, inspectForUser, showVolumeWork, volumeOf } from './volumeTarget.ts';
import { refuseUsed } from './volumeUsers.ts';

interface Emptied {
  readonly outcome: 'emptied';
}

/** Deletes all files of an unused volume: removes it and creates it again. */
export const emptyVolumeCommand = (ui: Ui): PlainCommand<{ readonly name: string }, Emptied> => ({
  id: 'gantry.volumes.empty',
  schema: { name: { kind: 'text', required: true } },
  selects: 'volume',
  isForOne: true,
  pick: pickRow('gantry.volumes.empty', 'volume'),
  failureTitle: l10n.t('Could not empty the volume'),
  run: (args, context, signal) => empty(context, checkGivenName(args.name), undefined, signal),
  runInteractive: async (context, nodes) => {
    const target = volumeOf(context, nodes);
    if (!target || (await refuseUsed(ui, [target]))) return undefined;
    const seen = await inspectForUser(target, inspectVolume);
    checkEmptiable(seen);
    const name = formatName(target.name);
    const detail = [
      l10n.t('All files in it are deleted.'),
      l10n.t('The volume is removed and created again with the same driver, labels, and options.'),
    ];
    if (
      !(await context.ui.confirm(
        l10n.t('Empty the volume {0}?', name),
        detail.join('\n'),
        l10n.t('Empty'),
      ))
    )
      return undefined;
    try {
      return await ui.progress(l10n.t('Emptying {0}', name), 'late', (signal) =>
        empty(context, target.id, seen, signal),
      );
    } catch (error) {
      if (!(error instanceof VolumeLostError)) throw error;
      offerToCreate(context, error);
      return undefined;
    }
  },
});

async function empty(
  context: CommandContext,
  name: string,
  seen: SeenVolume | undefined,
  signal: AbortSignal,
): Promise<Emptied> {
  const connection = await context.engine.connect(signal);
  await using _shown = showVolumeWork(context, name, 'emptying');
  return await emptyVolume(connection, name, seen, signal);
}

/** Shows that the volume is gone, and offers to create it again. */
export function offerToCreate(context: CommandContext, error: VolumeLostError): void {
  const { ui, engine, inventory } = context;
  const failing = emptyVolumeCommand(ui).failureTitle;
  ui.error(failureMessage(failing, error), {
    title: l10n.t('Create Again'),
    run: () =>
      withErrorMessage(failing, context, async () => {
        await restoreVolume(await engine.connect(), error.volume);
        inventory.volumes.markStale();
      }),
  });
}
