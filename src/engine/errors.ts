/** What can go wrong between us and an engine, as data. Sentences are made at the edge. */

import { plainText } from '../plainText.ts';

/** Why a request failed. */
export type FailureReason = keyof typeof FAILURE_KINDS;

/**
 * What a failure says of the engine, whatever was asked of it. `connection`: no engine we can use is there; `user`:
 * the same, and only the user can fix it; `interrupted`: it cannot be reached now; `request`: nothing.
 */
type FailureKind = 'connection' | 'user' | 'interrupted' | 'request';

const FAILURE_KINDS = {
  // Nothing there.
  socketAbsent: 'connection', // No such file.
  permissionDenied: 'connection', // The file is there, we may not use it.
  refused: 'connection', // Nothing listens.
  notASocket: 'connection', // A folder or a plain file.
  unreachable: 'connection', // Any other failure to connect.
  badEndpoint: 'user', // The address is invalid.
  hostUnknown: 'connection', // No host has that name.
  connectTimeout: 'connection', // No host took the connection in time.
  contextMissing: 'connection', // The context that `engineMessage` names does not exist.
  contextBroken: 'user', // The context that `engineMessage` names says nothing we can use.

  // Encryption.
  certificateUntrusted: 'connection', // Theirs; `cause` has the code.
  clientCertificateNeeded: 'connection', // They want one of ours, or another one.
  certificateUnusable: 'connection', // Ours; `cause` is a TlsMaterialError.
  tlsNeeded: 'connection', // They require TLS.
  tlsNotSpoken: 'connection', // They do not support it.

  // SSH.
  sshMissing: 'user', // No such program here.
  sshHostKey: 'user', // The host key is not the known one.
  sshRefused: 'user', // Authentication failed.
  sshNoForwarding: 'user', // It forwards nothing.
  sshSocketMissing: 'connection', // No socket of an engine was found there.
  sshFailed: 'connection', // Anything else.
  sshFull: 'request', // Another stream does not fit beside those that are open.

  // Not tried.
  disconnected: 'request', // The user disconnected the engine.
  engineRemoved: 'request', // It is no longer in the settings.
  engineReplaced: 'request', // Another address is in use now.

  // Something answers.
  notAnEngine: 'connection', // It speaks, but not this API.
  proxyPage: 'connection', // A page of a proxy or web server.
  tooOld: 'connection', // Its versions and ours do not meet.
  tooNew: 'connection', // The same.
  pinRefused: 'connection', // The version that the user pinned is none that both support.
  timeout: 'interrupted', // No response within the limit of the call.
  cut: 'interrupted', // The connection ended before the response did.
  badAnswer: 'request', // The response is not what the API promises.
  tooLarge: 'request', // The response is past our limit.

  // The engine said no.
  notFound: 'request',
  conflict: 'request',
  badRequest: 'request',
  unauthorized: 'request',
  failed: 'request', // Any other status, and failures told inside a stream.
} as const satisfies Readonly<Record<string, FailureKind>>;

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

/** The reasons that say that no engine we can use is there, whatever was asked of it. */
export const CONNECTION_REASONS: readonly string[] = Object.entries(FAILURE_KINDS).flatMap(
  ([reason, kind]) => (kind === 'connection' || kind === 'user' ? [reason] : []),
);

/** Whether the failure says that no engine we can use is there, whatever was asked of it. */
export function isConnectionFailure(error: unknown): error is EngineError {
  return error instanceof EngineError && CONNECTION_REASONS.includes(error.reason);
}

/** Whether the engine cannot be reached now, which says nothing about what was asked for. */
export function isLost(error: unknown): error is EngineError {
  return error instanceof EngineError && FAILURE_KINDS[error.reason] !== 'request';
}

/**
 * Whether only the user can fix it. Nothing may connect again automatically: it would ask for a password again and
 * again, or lock an account.
 */
export function needsUser({ reason }: EngineError): boolean {
  return FAILURE_KINDS[reason] === 'user';
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
