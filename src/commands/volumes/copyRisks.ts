/** Risks that the user must know before the files of a volume are copied. */

import * as l10n from '@vscode/l10n';
import { InputError } from '../../engine/errors.ts';
import { isUp } from '../../engine/model.ts';
import type { VolumeLoss, VolumeReading } from '../../engine/volumes/openVolume.ts';
import { formatNames } from '../ui/formatNames.ts';
import type { CommandTarget } from '../frame/targets.ts';
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
 */
export async function acceptRisks(
  target: CommandTarget,
  { losses }: VolumeReading,
  question: string,
  button: string,
): Promise<boolean> {
  const { ui } = target.context;
  const writers = knownUsers(target).filter(
    (one) =>
      isUp(one) && one.mounts.some((mount) => mount.volume === target.id && !mount.isReadOnly),
  );
  const names = formatNames(
    writers.map(({ name }) => name),
    3,
  );
  const risks = [
    losses.includes('owners')
      ? l10n.t('All files in the copy belong to root: this engine does not report owners.')
      : '',
    losses.includes('owners')
      ? l10n.t('To keep the owners, start a container that mounts the volume and has tar.')
      : '',
    writers.length > 0
      ? l10n.t('Running containers may write files during the copy: {0}.', names)
      : '',
    attributesNote({ losses }),
  ].filter((line) => line !== '');
  if (writers.length === 0 && !losses.includes('owners')) return true;
  return ui.confirm(question, risks.join('\n'), button);
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
