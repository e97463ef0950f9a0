import type { EngineError } from '../../engine/errors.ts';
import type { CandidateOrigin } from '../../engine/discovery/endpointCandidate.ts';
import { FAILURES, formatFailure } from '../../failures/failures.ts';
import type { Phase } from '../../inventory/inventory.ts';
import type { L10n } from '../../l10n.ts';

/** The values of the context key `gantry.state`, by which the welcome of an empty view is chosen. */
export const GANTRY_STATES: readonly string[] = [
  ...new Set([
    'connecting',
    'ready',
    'notThere',
    ...Object.values(FAILURES).map(({ state }) => state),
  ]),
];

/**
 * The state of the views for how we stand with the engine.
 *
 * @param found what named the address that was tried.
 */
export function gantryStateOf(phase: Phase, found?: CandidateOrigin): string {
  switch (phase.kind) {
    case 'idle':
    case 'connecting':
      return 'connecting';
    case 'live':
      return 'ready';
    case 'off':
      return 'off';
    case 'lost':
      return phase.error.reason === 'socketAbsent' && isNamed(found)
        ? 'notThere'
        : FAILURES[phase.error.reason].state;
  }
}

/** Whether the address was named, and not one of those that are tried if none is. */
function isNamed(found: CandidateOrigin | undefined): found is CandidateOrigin {
  return found !== undefined && found.kind !== 'usual';
}

/** What named the address, as the context key `gantry.engineSource` has it; '' for nothing. */
export function engineSourceOf(found: CandidateOrigin | undefined): string {
  return isNamed(found) ? found.kind : '';
}

/** Why a view without rows has none: the sentence for the view that has no buttons. */
export function unreachableMessage(
  error: EngineError,
  found: CandidateOrigin | undefined,
  l10n: L10n,
): string {
  const isSilent = error.reason === 'socketAbsent' || error.reason === 'refused';
  if (!isSilent) return formatFailure(error, l10n);
  if (!isNamed(found)) return l10n.t('No container engine was found.');
  const address = error.endpoint ?? '';
  return l10n.t('Nothing listens at {0} (from {1}).', address, formatSource(found, l10n));
}

function formatSource(found: CandidateOrigin, l10n: L10n): string {
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

/** What a person is told above rows that may be out of date. */
export function lostMessage(error: EngineError, l10n: L10n): string {
  return l10n.t('Connection lost: {0}. Reconnecting...', FAILURES[error.reason].short(l10n));
}

/** What a user is told in place of images that are not known, or above those of before; empty if they are known. */
export function unlistedMessage(phase: Phase, l10n: L10n): string {
  if (phase.kind !== 'live' || phase.images === undefined) return '';
  if (phase.images === 'awaited') return l10n.t('Loading images...');
  const { status, reason } = phase.images;
  const why = FAILURES[status === 403 ? 'permissionDenied' : reason].short(l10n);
  return l10n.t('Cannot list images: {0}. Retrying...', why);
}
