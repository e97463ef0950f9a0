import type { EngineError, FailureReason } from '../engine/errors.ts';
import type { Phase } from '../inventory/inventory.ts';
import type { L10n } from '../l10n.ts';

/** The values of the context key `gantry.state`, by which the welcome of an empty view is chosen. */
export type GantryState =
  | 'connecting'
  | 'ready'
  | 'absent'
  | 'denied'
  | 'refused'
  | 'notEngine'
  | 'tooOld'
  | 'tooNew'
  | 'unreachable';

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
  unreachable: 'unreachable',
  badEndpoint: 'unreachable',
  timeout: 'unreachable',
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
    case 'tooNew':
      return l10n.t('the engine is too new');
    case 'timeout':
      return l10n.t('no answer in time');
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
