import type { Container } from '../../engine/model.ts';
import type { L10n } from '../../l10n.ts';
import { formatName, formatNames } from '../formatNames.ts';
import type { CommandTarget } from '../targets.ts';

/** Returns the containers of the inventory that use a volume, running or not. */
export function knownUsers({ id, context }: CommandTarget): readonly Container[] {
  const { inventory } = context;
  return [...inventory.containersOfVolume(id)].flatMap(
    (one) => inventory.containers.get(one) ?? [],
  );
}

/** Formats which containers use a volume. */
export function usersMessage(names: readonly string[], l10n: L10n): string {
  const [first = ''] = names;
  return names.length === 1
    ? l10n.t('Used by container {0}.', formatName(first))
    : l10n.t('Used by {0} containers ({1}).', names.length, formatNames(names, l10n, 3));
}
