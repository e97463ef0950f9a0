/** What can go wrong between us and an engine, as data. Sentences are made at the edge. */

import { plainText } from '../plainText.ts';

/**
 * Why a request failed.
 *
 * Nobody there: `socketAbsent` no such file; `permissionDenied` the file is there, we may not use it;
 * `refused` nobody listens; `notASocket` a folder or a plain file; `unreachable` any other failure to connect;
 * `badEndpoint` the address itself makes no sense; `hostUnknown` no machine has that name; `connectTimeout` no
 * machine took the connection in time; `contextMissing`, `contextBroken` the named context is not there, or
 * says nothing we can use (`engineMessage` names it).
 *
 * Encryption: `certificateUntrusted` theirs is not to be trusted (`cause` has the code); `clientCertificateNeeded`
 * they want one of ours, or another one; `certificateUnusable` what we have of our own cannot be used (`cause` is
 * a TlsMaterialError); `tlsNeeded` they speak only encrypted; `tlsNotSpoken` they do not.
 *
 * Not tried: `disconnected` the user disconnected the engine; `engineRemoved` it is no longer in the settings;
 * `engineReplaced` another address is in use now.
 *
 * ssh: `sshMissing` no such program here; `sshHostKey` the machine is not the one that is known; `sshRefused` it
 * does not let us in; `sshNoForwarding` it forwards nothing; `sshSocketMissing` no engine's socket was found
 * there; `sshFailed` anything else; `sshFull` another stream does not fit beside those that are open, which says
 * nothing of the engine.
 *
 * Somebody there: `notAnEngine` it speaks, but not this API; `proxyPage` a page of a proxy or web server;
 * `tooOld`, `tooNew` its versions and ours do not meet; `pinRefused` the version that the person pinned is none that
 * both speak; `timeout` no answer within the call's limit; `cut` the connection ended before the answer did;
 * `badAnswer` the answer is not what the API promises; `tooLarge` the answer is past our limit.
 *
 * The engine said no: `notFound`, `conflict`, `badRequest`, `unauthorized`, `failed` (any other status, and
 * failures told inside a stream).
 */
export type FailureReason =
  | 'socketAbsent'
  | 'permissionDenied'
  | 'refused'
  | 'notASocket'
  | 'unreachable'
  | 'badEndpoint'
  | 'hostUnknown'
  | 'connectTimeout'
  | 'contextMissing'
  | 'contextBroken'
  | 'certificateUntrusted'
  | 'clientCertificateNeeded'
  | 'certificateUnusable'
  | 'tlsNeeded'
  | 'tlsNotSpoken'
  | 'sshMissing'
  | 'sshHostKey'
  | 'sshRefused'
  | 'sshNoForwarding'
  | 'sshSocketMissing'
  | 'sshFailed'
  | 'sshFull'
  | 'disconnected'
  | 'engineRemoved'
  | 'engineReplaced'
  | 'notAnEngine'
  | 'proxyPage'
  | 'tooOld'
  | 'tooNew'
  | 'pinRefused'
  | 'timeout'
  | 'cut'
  | 'badAnswer'
  | 'tooLarge'
  | 'notFound'
  | 'conflict'
  | 'badRequest'
  | 'unauthorized'
  | 'failed';

/** Particulars of a failure; every field that is known is set. */
export interface FailureDetails {
  /** HTTP status, where there was an answer. */
  readonly status?: number | undefined;
  /** The engine's own words; of an error, fit to show: see `plainText`. */
  readonly engineMessage?: string | undefined;
  /** The address that was talked to, fit to show. */
  readonly endpoint?: string | undefined;
  /** Method and path without query values, for example `POST /containers/abc/start`. */
  readonly operation?: string | undefined;
  /** Of a call that was too slow, how long it was waited for. */
  readonly limitSeconds?: number | undefined;
  readonly cause?: unknown;
}

/** Which request of which engine, for error texts. */
export interface RequestContext {
  readonly endpoint: string;
  readonly operation: string;
}

/** A failure of an engine or of the way to it. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly reason: FailureReason;
  readonly status: number | undefined;
  readonly engineMessage: string | undefined;
  readonly endpoint: string | undefined;
  readonly operation: string | undefined;
  readonly limitSeconds: number | undefined;

  constructor(reason: FailureReason, details: FailureDetails = {}) {
    // Said by whoever answers, and shown to a person: shaped here, so that no way around it is left.
    const words =
      details.engineMessage === undefined ? undefined : plainText(details.engineMessage);
    super(words ?? reason, { cause: details.cause });
    this.reason = reason;
    this.status = details.status;
    this.engineMessage = words;
    this.endpoint = details.endpoint;
    this.operation = details.operation;
    this.limitSeconds = details.limitSeconds;
  }

  /** Returns a copy with these particulars. The cause is not kept unless given: it may repeat what is replaced. */
  with({
    reason = this.reason,
    ...changes
  }: FailureDetails & { readonly reason?: FailureReason }): EngineError {
    const { status, engineMessage, endpoint, operation, limitSeconds } = this;
    const kept = { status, engineMessage, endpoint, operation, limitSeconds };
    return new EngineError(reason, { ...kept, ...changes });
  }
}

/** Whether `error` is an EngineError with one of these reasons. */
export function failedWith(
  error: unknown,
  ...reasons: readonly FailureReason[]
): error is EngineError {
  return error instanceof EngineError && reasons.includes(error.reason);
}

/** Say that no engine we can use is there, whatever was asked of it. */
export const CONNECTION_REASONS: readonly FailureReason[] = [
  'socketAbsent',
  'permissionDenied',
  'refused',
  'notASocket',
  'unreachable',
  'badEndpoint',
  'hostUnknown',
  'connectTimeout',
  'contextMissing',
  'contextBroken',
  'certificateUntrusted',
  'clientCertificateNeeded',
  'certificateUnusable',
  'tlsNeeded',
  'tlsNotSpoken',
  'sshMissing',
  'sshHostKey',
  'sshRefused',
  'sshNoForwarding',
  'sshSocketMissing',
  'sshFailed',
  'notAnEngine',
  'proxyPage',
  'tooOld',
  'tooNew',
  'pinRefused',
];

/** Whether the failure says that no engine we can use is there, whatever was asked of it. */
export function isConnectionFailure(error: unknown): error is EngineError {
  return failedWith(error, ...CONNECTION_REASONS);
}

/** Whether the engine cannot be reached now, which says nothing about what was asked for. */
export function isLost(error: unknown): error is EngineError {
  return isConnectionFailure(error) || failedWith(error, 'cut', 'timeout');
}

const USER_REASONS: readonly FailureReason[] = [
  'badEndpoint',
  'contextBroken',
  'sshMissing',
  'sshHostKey',
  'sshRefused',
  'sshNoForwarding',
];

/**
 * Whether only a person can mend it. Nothing may try such a way again by itself: it would ask for a password
 * again and again, or lock an account.
 */
export function needsUser(error: EngineError): boolean {
  return failedWith(error, ...USER_REASONS);
}

/** Input that was refused before any request. Its message is a sentence fit to show. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

/** What was to be sent could not be read; `cause` says why, and its message is this one's. */
export class UploadError extends Error {
  override readonly name = 'UploadError';

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** What was thrown, as an error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
