import * as l10n from '@vscode/l10n';
import { removeVolume, type SeenVolume } from '../../engine/volumes/removeVolume.ts';
import type { TargetCommand } from '../frame/command.ts';
import { formatName, formatNames, formatUsed } from '../ui/formatNames.ts';
import { nameAmong, uiOf, type CommandTarget } from '../frame/targets.ts';
import type { Ui } from '../ui/ui.ts';
import { knownUsers, refuseUsed } from './volumeUsers.ts';

interface RemoveArguments {
  /** The volumes that the user confirmed, as they were then. Not part of the argument. */
  readonly agreed?: ReadonlyMap<CommandTarget, SeenVolume | undefined>;
}

interface Removed {
  readonly outcome: 'removed' | 'alreadyGone' | 'kept';
}

/** Removes volumes with all files in them, unless containers use them. */
export const removeVolumeCommand = (ui: Ui): TargetCommand<RemoveArguments, Removed> => ({
  id: 'gantry.volumes.remove',
  on: 'volume',
  verb: 'removing',
  progressTitle: (name) => l10n.t('Removing {0}', name),
  failureTitle: (name) => l10n.t('Could not remove {0}', name),
  ask: (targets) => ask(ui, targets),
  run: async ({ args, target, connect, signal }) => {
    const wanted = await target();
    // The question announced that it is kept.
    if (args.agreed && !args.agreed.has(wanted)) return { outcome: 'kept' };
    return removeVolume(await connect(), wanted.id, args.agreed?.get(wanted), signal);
  },
  message: ({ outcome }, { name }) =>
    outcome === 'alreadyGone' ? l10n.t('{0} was already removed.', name) : undefined,
});

/** Shows why volumes in use are kept, and asks whether to remove the others. */
async function ask(
  ui: Ui,
  targets: readonly CommandTarget[],
): Promise<RemoveArguments | undefined> {
  const used = targets.filter((one) => knownUsers(one).length > 0);
  const unused = targets.filter((one) => !used.includes(one));
  const [only] = unused;
  const [first] = used;
  if (first && unused.length === 0) {
    await refuseUsed(ui, used);
    return undefined;
  }
  const names = (some: readonly CommandTarget[]): readonly string[] =>
    some.map((one) => nameAmong(one, targets));
  const isOne = unused.length === 1;
  const detail = [
    isOne ? l10n.t('All files in it are deleted.') : l10n.t('All files in them are deleted.'),
    isOne ? '' : l10n.t('Volumes to remove: {0}.', formatNames(names(unused))),
    formatUsed(names(used)),
  ];
  const question =
    isOne && only
      ? l10n.t('Remove the volume {0}?', formatName(only.name))
      : l10n.t('Remove {0} volumes?', unused.length);
  const lines = detail.filter((line) => line !== '').join('\n');
  if (!(await uiOf(targets, ui).confirm(question, lines, l10n.t('Remove')))) return undefined;
  return { agreed: new Map(unused.map((one) => [one, one.volume])) };
}
