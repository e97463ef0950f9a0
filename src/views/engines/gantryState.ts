import type { EngineError, FailureReason } from '../../engine/errors.ts';
import type { CandidateOrigin } from '../../engine/discovery/endpointCandidate.ts';
import type { Phase } from '../../inventory/inventory.ts';
import type { L10n } from '../../l10n.ts';

export type GantryState = (typeof GANTRY_STATES)[number];

/** The values of the context key `gantry.state`, by which the welcome of an empty view is chosen. */
export const GANTRY_STATES = [
  'connecting',
  'ready',
  // Disconnected by the person.
  'off',
  // Nobody has named an address, and none of the usual ones has an engine.
  'absent',
  // Nothing is at the address that was named.
  'notThere',
  'denied',
  'refused',
  'notEngine',
  'tooOld',
  'tooNew',
  'context',
  'hostUnknown',
  'timeout',
  'certificate',
  'clientCertificate',
  'ownCertificate',
  'tlsNeeded',
  'tlsNotSpoken',
  'sshMissing',
  'sshHostKey',
  'sshRefused',
  'sshNoForwarding',
  'sshSocketMissing',
  'sshFailed',
  'proxyPage',
  'pinned',
  'badEndpoint',
  'unreachable',
] as const;

const STATES: Readonly<Record<FailureReason, GantryState>> = {
  socketAbsent: 'absent',
  permissionDenied: 'denied',
  unauthorized: 'denied',
  refused: 'refused',
  notASocket: 'notEngine',
  notAnEngine: 'notEngine',
  badAnswer: 'notEngine',
  notFound: 'notEngine',
  tooOld: 'tooOld',
  tooNew: 'tooNew',
  pinRefused: 'pinned',
  unreachable: 'unreachable',
  badEndpoint: 'badEndpoint',
  hostUnknown: 'hostUnknown',
  connectTimeout: 'timeout',
  contextMissing: 'context',
  contextBroken: 'context',
  certificateUntrusted: 'certificate',
  clientCertificateNeeded: 'clientCertificate',
  certificateUnusable: 'ownCertificate',
  tlsNeeded: 'tlsNeeded',
  tlsNotSpoken: 'tlsNotSpoken',
  sshMissing: 'sshMissing',
  sshHostKey: 'sshHostKey',
  sshRefused: 'sshRefused',
  sshNoForwarding: 'sshNoForwarding',
  sshSocketMissing: 'sshSocketMissing',
  sshFailed: 'sshFailed',
  sshFull: 'sshFailed',
  disconnected: 'off',
  engineRemoved: 'off',
  engineReplaced: 'off',
  proxyPage: 'proxyPage',
  timeout: 'timeout',
  cut: 'unreachable',
  tooLarge: 'unreachable',
  conflict: 'unreachable',
  badRequest: 'unreachable',
  failed: 'unreachable',
};

/**
 * The state of the views for how we stand with the engine.
 *
 * @param found what named the address that was tried.
 */
export function gantryStateOf(phase: Phase, found?: CandidateOrigin): GantryState {
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
        : STATES[phase.error.reason];
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
  describe: (error: EngineError) => string,
  l10n: L10n,
): string {
  const isSilent = error.reason === 'socketAbsent' || error.reason === 'refused';
  if (!isSilent) return describe(error);
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
  return l10n.t('Connection lost: {0}. Reconnecting...', formatFailureReason(error.reason, l10n));
}

/** What a user is told in place of images that are not known, or above those of before; empty if they are known. */
export function unlistedMessage(phase: Phase, l10n: L10n): string {
  if (phase.kind !== 'live' || phase.images === undefined) return '';
  if (phase.images === 'awaited') return l10n.t('Loading images...');
  const { status, reason } = phase.images;
  const why = formatFailureReason(status === 403 ? 'permissionDenied' : reason, l10n);
  return l10n.t('Cannot list images: {0}. Retrying...', why);
}

/** Why the engine cannot be reached, in few words. */
export function formatFailureReason(reason: FailureReason, l10n: L10n): string {
  switch (reason) {
    case 'socketAbsent':
      return l10n.t('there is no socket');
    case 'permissionDenied':
    case 'unauthorized':
      return l10n.t('permission denied');
    case 'refused':
      return l10n.t('nobody listens');
    case 'notASocket':
      return l10n.t('not a socket');
    case 'notAnEngine':
    case 'badAnswer':
    case 'notFound':
      return l10n.t('what answers is not a container engine');
    case 'tooOld':
      return l10n.t('the engine is too old');
    case 'pinRefused':
      return l10n.t('DOCKER_API_VERSION does not fit it');
    case 'tooNew':
      return l10n.t('the engine is too new');
    case 'timeout':
    case 'connectTimeout':
      return l10n.t('no answer in time');
    case 'hostUnknown':
      return l10n.t('no machine has that name');
    case 'contextMissing':
      return l10n.t('there is no such context');
    case 'contextBroken':
      return l10n.t('the context cannot be used');
    case 'certificateUntrusted':
      return l10n.t('its certificate is not trusted');
    case 'clientCertificateNeeded':
      return l10n.t('it wants a certificate of yours');
    case 'certificateUnusable':
      return l10n.t('your certificate cannot be used');
    case 'tlsNeeded':
      return l10n.t('it speaks only encrypted');
    case 'tlsNotSpoken':
      return l10n.t('it does not speak encrypted');
    case 'sshMissing':
      return l10n.t('there is no ssh program');
    case 'sshHostKey':
      return l10n.t('ssh: the host key is not the known one');
    case 'sshRefused':
      return l10n.t('ssh: not let in');
    case 'sshNoForwarding':
      return l10n.t('ssh: forwarding is refused');
    case 'sshSocketMissing':
      return l10n.t('ssh: no engine there');
    case 'sshFailed':
      return l10n.t('ssh failed');
    case 'sshFull':
      return l10n.t('too many logs and terminals are open');
    case 'disconnected':
      return l10n.t('disconnected');
    case 'engineRemoved':
      return l10n.t('changed or removed in the settings');
    case 'engineReplaced':
      return l10n.t('another engine is in use');
    case 'proxyPage':
      return l10n.t('a web page answers');
    case 'cut':
      return l10n.t('the connection was cut');
    case 'badEndpoint':
      return l10n.t('the address makes no sense');
    case 'unreachable':
      return l10n.t('no connection');
    case 'tooLarge':
    case 'conflict':
    case 'badRequest':
    case 'failed':
      return l10n.t('the engine failed');
  }
}
