/** The texts below an engine that shows no rows, if there are several engines. */

import * as l10n from '@vscode/l10n';
import type { KnownEngine } from '../../inventory/knownEngine.ts';
import { networksMessage, unlistedMessage, volumesMessage } from './engineState.ts';

/** Returns the text below an engine that shows no containers. */
export function containersNote({ inventory }: KnownEngine, hideStopped: boolean): string {
  return hideStopped && inventory.containers.size > 0
    ? l10n.t('No running containers')
    : l10n.t('No containers');
}

/** Returns the text below an engine that shows no images. */
export function imagesNote({ inventory }: KnownEngine, filter: string): string {
  const unlisted = unlistedMessage(inventory.phase);
  if (unlisted !== '') return unlisted;
  return filter === '' ? l10n.t('No images') : l10n.t('No images match the filter');
}

/** Returns the text below an engine that shows no volumes. */
export function volumesNote({ inventory }: KnownEngine): string {
  if (inventory.volumes.state === 'unknown') return l10n.t('Loading volumes...');
  return volumesMessage(inventory) || l10n.t('No volumes');
}

/** Returns the text below an engine that shows no networks. */
export function networksNote({ inventory }: KnownEngine): string {
  if (inventory.networks.state === 'unknown') return l10n.t('Loading networks...');
  return networksMessage(inventory) || l10n.t('No networks');
}
