import * as l10n from '@vscode/l10n';
import type { Container } from '../../engine/model.ts';
import { formatName, formatUsers } from '../ui/formatNames.ts';
import { uiOf, type CommandTarget } from '../frame/targets.ts';
import type { Ui } from '../ui/ui.ts';

/** Returns the containers of the inventory that use a volume, running or not. */
export function knownUsers({
  id,
  context,
}: Pick<CommandTarget, 'id' | 'context'>): readonly Container[] {
  const { inventory } = context;
  return [...inventory.containersOfVolume(id)].flatMap(
    (one) => inventory.containers.get(one) ?? [],
  );
}

/**
 * Shows which containers use the volumes, and offers to show the first one. Resolves to false without a message if
 * none is in use.
 */
export async function refuseUsed(ui: Ui, targets: readonly CommandTarget[]): Promise<boolean> {
  const used = targets.filter((one) => knownUsers(one).length > 0);
  const [first] = used;
  if (!first) return false;
  const message =
    used.length === 1
      ? l10n.t('{0} is in use', formatName(first.name))
      : l10n.t('{0} volumes are in use', used.length);
  const users = new Set(used.flatMap((one) => knownUsers(one)).map(({ name }) => name));
  const button = l10n.t('Show Containers');
  const answer = await uiOf(targets, ui).choose(message, formatUsers([...users]), [button]);
  const [user] = knownUsers(first);
  if (answer === button && user) {
    first.context.reveal(user.id);
    ui.focusView('gantry.containers.focus');
  }
  return true;
}
