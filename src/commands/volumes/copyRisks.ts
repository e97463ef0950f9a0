/** Risks that the user must know before the files of a volume are copied. */

import * as l10n from '@vscode/l10n';
import { InputError } from '../../engine/errors.ts';
import { isUp, type Container } from '../../engine/model.ts';
import type { VolumeLoss, VolumeReading } from '../../engine/volumes/openVolume.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { formatNames } from '../ui/formatNames.ts';
import { knownUsers } from './volumeUsers.ts';

/**
 * Refuses a copy without the owners of files, unless it is allowed. Extended attributes are rare, and it is unknown
 * beforehand whether there are any.
 *
 * @throws InputError.
 */
export function checkLosses({ losses }: VolumeReading, isAllowed: boolean | undefined): void {
  if (isAllowed === true || !losses.includes('owners')) return;
  throw new InputError(
    l10n.t(
      'The copy would lose file ownership. Start a container that mounts the volume, or set "allowLoss".',
    ),
  );
}

/**
 * Asks before a copy that loses something important, or while a container writes. Does not ask if there is
 * no such risk.
 *
 * @param readings one for each volume that is copied.
 */
export async function acceptRisks(
  context: CommandContext,
  readings: readonly VolumeReading[],
  question: string,
  button: string,
): Promise<boolean> {
  const losses = readings.flatMap((one) => one.losses);
  const writers = new Set(readings.flatMap(({ volume }) => writersOf(volume.name, context)));
  const names = formatNames([...writers], 3);
  const risks = [
    losses.includes('owners')
      ? l10n.t('All files in the copy belong to root: this engine does not report owners.')
      : '',
    losses.includes('owners')
      ? l10n.t('To keep the owners, start a container that mounts the volume and has tar.')
      : '',
    writers.size > 0
      ? l10n.t('Running containers may write files during the copy: {0}.', names)
      : '',
    attributesNote({ losses }),
  ].filter((line) => line !== '');
  if (writers.size === 0 && !losses.includes('owners')) return true;
  return context.ui.confirm(question, risks.join('\n'), button);
}

/** Returns the names of the containers that can write to a volume now. */
function writersOf(volume: string, context: CommandContext): readonly string[] {
  const up = knownUsers({ id: volume, context }).filter(isUp);
  const isWriter = ({ mounts }: Container): boolean =>
    mounts.some((mount) => mount.volume === volume && !mount.isReadOnly);
  return up.filter(isWriter).map(({ name }) => name);
}

/** Returns a note for the choice of the copy of what else is lost; empty if nothing is. */
export function attributesNote({ losses }: Pick<VolumeReading, 'losses'>): string {
  if (losses.includes('xattrs')) return l10n.t('User extended attributes (user.*) are not copied.');
  return losses.includes('rootOwner')
    ? l10n.t('The owner and mode of the root folder are not copied.')
    : '';
}

/** Formats what was lost, for the end of a message; empty if nothing of importance. */
export function lostMessage(lost: readonly VolumeLoss[]): string {
  if (lost.includes('owners')) return l10n.t('The files belong to root.');
  return lost.includes('rootOwner')
    ? l10n.t("The owner and mode of the volume's root folder were not kept.")
    : '';
}
