import type { Arrangement } from '../arrangement/arrangements.ts';
import * as l10n from '@vscode/l10n';
import type { EngineError } from '../../engine/errors.ts';
import type { CandidateOrigin } from '../../engine/discovery/endpointCandidate.ts';
import { FAILURES, formatFailure } from '../../engines/failures/failures.ts';
import { translate } from '../../base/translate.ts';
import type { KnownEngine } from '../../inventory/knownEngine.ts';
import type { OnDemandState } from '../../inventory/onDemandList.ts';
import type { Inventory } from '../../inventory/inventory.ts';
import { isReconnecting, reportsNetworks, type Phase } from '../../inventory/phase.ts';

/**
 * Values of the context key `gantry.state` other than those of {@link FAILURES}: one per phase, and one for a
 * configured socket that does not exist.
 */
export const OWN_STATES: Readonly<Record<Exclude<Phase['kind'], 'lost'> | 'absent', string>> = {
  idle: 'connecting',
  connecting: 'connecting',
  live: 'ready',
  off: 'off',
  absent: 'notThere',
};

/**
 * Returns the value of the context key `gantry.state`, which selects the welcome content of an empty view.
 *
 * @param found where the address that was tried comes from.
 */
export function gantryStateOf(phase: Phase, found?: CandidateOrigin): string {
  if (phase.kind !== 'lost') return OWN_STATES[phase.kind];
  const { reason, isFinal } = phase.error;
  // The text for `refused` promises to reconnect.
  if (reason === 'refused' && isFinal) return FAILURES.sshFailed.state;
  return reason === 'socketAbsent' && isNamed(found) ? OWN_STATES.absent : FAILURES[reason].state;
}

/** Returns whether the address was configured, as opposed to one of the default addresses. */
function isNamed(found: CandidateOrigin | undefined): found is CandidateOrigin {
  return found !== undefined && found.kind !== 'usual';
}

/**
 * Returns the value of the context key `gantry.engineSource`: where the address comes from; empty for a default
 * address.
 */
export function engineSourceOf(found: CandidateOrigin | undefined): string {
  return isNamed(found) ? found.kind : '';
}

/** Returns why a view has no rows, for the view whose welcome content has no buttons. */
export function unreachableMessage(error: EngineError, found: CandidateOrigin | undefined): string {
  const isSilent = error.reason === 'socketAbsent' || error.reason === 'refused';
  if (!isSilent) return formatFailure(error);
  if (!isNamed(found)) return l10n.t('No container engine found.');
  const address = error.endpoint ?? '';
  return l10n.t('Cannot connect to {0} (from {1}).', address, formatSource(found));
}

function formatSource(found: CandidateOrigin): string {
  switch (found.kind) {
    case 'variable':
      return found.name;
    case 'setting':
      return 'gantry.host';
    case 'context':
      return l10n.t('the Docker context {0}', found.name);
    case 'podmanConnection':
      return l10n.t('the Podman connection {0}', found.name);
    case 'usual':
      return found.product;
  }
}

/** Products whose name is in the row of an engine anyway. */
const PLAIN_PRODUCTS: readonly string[] = ['Docker', 'Podman'];

/**
 * Returns what the default engine is, of which the name says nothing: where its address comes from, or the product
 * that its socket belongs to. Empty for other engines, and if there is nothing to add.
 */
export function originOf({
  isAdded,
  engine: { origin },
}: Pick<KnownEngine, 'isAdded' | 'engine'>): string {
  if (isAdded || !origin) return '';
  if (origin.kind === 'usual') return PLAIN_PRODUCTS.includes(origin.product) ? '' : origin.product;
  if (origin.kind !== 'context') return formatSource(origin);
  return origin.name === 'default' ? '' : l10n.t('context {0}', origin.name);
}

/** Returns the message above rows that may be out of date. */
export function engineLostMessage(error: EngineError): string {
  const reason = translate(FAILURES[error.reason].short);
  return isReconnecting(error)
    ? l10n.t('Connection lost: {0}. Reconnecting...', reason)
    : l10n.t('Connection lost: {0}. Select Refresh to reconnect.', reason);
}

/**
 * Returns the message in place of images that are not known, or above outdated images; empty if the images are known.
 */
export function unlistedMessage(phase: Phase): string {
  if (phase.kind !== 'live' || phase.images === undefined) return '';
  if (phase.images === 'awaited') return l10n.t('Loading images...');
  return l10n.t('Cannot list images: {0}. Retrying...', refusalOf(phase.images));
}

/** Returns the message above the volumes; empty if there is none. */
export function volumesMessage({ volumes }: Pick<Inventory, 'volumes'>): string {
  if (typeof volumes.state === 'string') return '';
  return l10n.t('Cannot list volumes: {0}. Retrying...', refusalOf(volumes.state));
}

/** Returns the message above the networks; empty if there is none. */
export function networksMessage({
  networks,
  phase,
}: Pick<Inventory, 'networks' | 'phase'>): string {
  if (typeof networks.state !== 'string') {
    return l10n.t('Cannot list networks: {0}. Retrying...', refusalOf(networks.state));
  }
  return networks.state === 'listed' && !reportsNetworks(phase)
    ? l10n.t('Podman does not report network changes. Select Refresh to update.')
    : '';
}

// The texts below an engine that shows no rows, if there are several engines.

export function containersNote(
  { inventory }: KnownEngine,
  { filter, isHiding }: Arrangement,
): string {
  if (filter !== '' && inventory.containers.size > 0)
    return l10n.t('No containers match the filter');
  return isHiding && inventory.containers.size > 0
    ? l10n.t('No running containers')
    : l10n.t('No containers');
}

export function imagesNote({ inventory }: KnownEngine, filter: string): string {
  const unlisted = unlistedMessage(inventory.phase);
  if (unlisted !== '') return unlisted;
  return filter === '' ? l10n.t('No images') : l10n.t('No images match the filter');
}

export function volumesNote({ inventory }: KnownEngine, filter: string): string {
  if (inventory.volumes.state === 'unknown') return l10n.t('Loading volumes...');
  const none = filter === '' ? l10n.t('No volumes') : l10n.t('No volumes match the filter');
  return volumesMessage(inventory) || none;
}

export function networksNote({ inventory }: KnownEngine, filter: string): string {
  if (inventory.networks.state === 'unknown') return l10n.t('Loading networks...');
  const none = filter === '' ? l10n.t('No networks') : l10n.t('No networks match the filter');
  return networksMessage(inventory) || none;
}

function refusalOf({ status, reason }: EngineError): string {
  return translate(FAILURES[status === 403 ? 'permissionDenied' : reason].short);
}

/** State of the content of an engine: not requested yet, requested, or known. */
export type LoadState = 'unasked' | 'awaited' | 'known';

/** Returns the load state for a phase. An engine that cannot be reached counts as known. */
export function loadStateOf({ kind }: Phase): LoadState {
  if (kind === 'idle') return 'unasked';
  return kind === 'connecting' ? 'awaited' : 'known';
}

/** Returns the load state of a list that is requested when its view is visible. */
export function loadStateOfList(list: OnDemandState, phase: Phase): LoadState {
  return phase.kind === 'live' && list === 'unknown' ? 'awaited' : loadStateOf(phase);
}
