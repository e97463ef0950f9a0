import { isDeepStrictEqual } from 'node:util';
import { capabilitiesOf } from '../engine/capabilities/capabilities.ts';
import { needsUser, type EngineError } from '../engine/errors.ts';
import type { EngineInfo } from '../engine/model.ts';

/** The state of the connection to the engine. */
export type Phase =
  | { readonly kind: 'idle' }
  /** The user disconnected it. */
  | { readonly kind: 'off' }
  | { readonly kind: 'connecting' }
  | {
      readonly kind: 'live';
      readonly info: EngineInfo;
      /** Set only while the images are not up to date. */
      readonly images?: UnlistedImages;
    }
  /** With `hadRows`, the previous entries are still there and may be out of date. */
  | { readonly kind: 'lost'; readonly error: EngineError; readonly hadRows: boolean };

/** Why the images are not known: their first list is slow, or the last one failed. */
export type UnlistedImages = 'awaited' | EngineError;

/** Whether two phases look the same to users. */
export function isSamePhase(before: Phase, next: Phase): boolean {
  if (before.kind === 'live' && next.kind === 'live')
    return isDeepStrictEqual(before.info, next.info) && isSameLack(before.images, next.images);
  if (before.kind === 'lost' && next.kind === 'lost')
    return before.hadRows === next.hadRows && isSameLack(before.error, next.error);
  return before.kind === next.kind;
}

/** Each try creates a new error; only another reason, message, or endpoint counts as a change. */
function isSameLack(a: UnlistedImages | undefined, b: UnlistedImages | undefined): boolean {
  if (!(a instanceof Error && b instanceof Error)) return a === b;
  const isSameReason = a.reason === b.reason && a.isFinal === b.isFinal;
  return isSameReason && a.message === b.message && a.endpoint === b.endpoint;
}

/** Whether changes of networks arrive as events, as far as the engine is known. */
export function reportsNetworks(phase: Phase): boolean {
  return phase.kind !== 'live' || capabilitiesOf(phase.info).reportsNetworks;
}

/** Whether an engine that was lost by this error is reconnected without the user. */
export function isReconnecting(error: EngineError): boolean {
  return !needsUser(error);
}
