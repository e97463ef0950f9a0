import type { EngineError, FailureReason } from '../engine/errors.ts';
import type { Phase } from '../inventory/inventory.ts';
import type { L10n } from '../l10n.ts';

/** The values of the context key `gantry.state`, by which the welcome of an empty view is chosen. */
export const GANTRY_STATES = [
  'connecting',
  'ready',
  // Disconnected by the person.
  'off',
  'absent',
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

export type GantryState = (typeof GANTRY_STATES)[number];

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
  proxyPage: 'proxyPage',
  timeout: 'timeout',
  cut: 'unreachable',
  tooLarge: 'unreachable',
  conflict: 'unreachable',
  badRequest: 'unreachable',
  failed: 'unreachable',
};

/** The state of the views for how we stand with the engine. */
export function stateOf(phase: Phase): GantryState {
  switch (phase.kind) {
    case 'idle':
    case 'connecting':
      return 'connecting';
    case 'live':
      return 'ready';
    case 'off':
      return 'off';
    case 'lost':
      return STATES[phase.error.reason];
  }
}

/** What a person is told above rows that may be out of date. */
export function lostMessage(error: EngineError, l10n: L10n): string {
  return l10n.t(
    'Engine is not reachable: showing what was there. Reconnecting… ({0})',
    reasonWords(error.reason, l10n),
  );
}

/** Why the engine cannot be reached, in few words. */
export function reasonWords(reason: FailureReason, l10n: L10n): string {
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
