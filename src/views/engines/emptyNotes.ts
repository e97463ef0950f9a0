/** The texts below an engine that shows no rows, if there are several engines. */

import type { KnownEngine } from '../../inventory/knownEngine.ts';
import type { L10n } from '../../l10n.ts';
import { networksMessage, unlistedMessage, volumesMessage } from './engineState.ts';

/** Returns the text below an engine that shows no containers. */
export function containersNote(
  { inventory }: KnownEngine,
  hideStopped: boolean,
  l10n: L10n,
): string {
  return hideStopped && inventory.containers.size > 0
    ? l10n.t('No running containers')
    : l10n.t('No containers');
}

/** Returns the text below an engine that shows no images. */
export function imagesNote({ inventory }: KnownEngine, filter: string, l10n: L10n): string {
  const unlisted = unlistedMessage(inventory.phase, l10n);
  if (unlisted !== '') return unlisted;
  return filter === '' ? l10n.t('No images') : l10n.t('No images match the filter');
}

/** Returns the text below an engine that shows no volumes. */
export function volumesNote({ inventory }: KnownEngine, l10n: L10n): string {
  if (inventory.volumes.state === 'unknown') return l10n.t('Loading volumes...');
  return volumesMessage(inventory, l10n) || l10n.t('No volumes');
}

/** Returns the text below an engine that shows no networks. */
export function networksNote({ inventory }: KnownEngine, l10n: L10n): string {
  if (inventory.networks.state === 'unknown') return l10n.t('Loading networks...');
  return networksMessage(inventory, l10n) || l10n.t('No networks');
}
