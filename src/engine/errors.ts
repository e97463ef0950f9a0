/** The failures of requests to an engine, as data. Messages are created where they are shown. */

import { inEnglish, type Sentence } from '../base/sentence.ts';
import { plainText, withoutUrlPasswords } from '../base/plainText.ts';

/** Why a request failed. */
export type FailureReason = keyof typeof FAILURE_KINDS;

/**
 * Meaning of a failure for the engine, regardless of the request. `connection`: there is no engine we can use; `user`:
 * the same, and only the user can fix it; `interrupted`: the engine cannot be reached now; `request`: nothing.
 */
type FailureKind = 'connection' | 'user' | 'interrupted' | 'request';

const FAILURE_KINDS = {
  // There is no engine.
  socketAbsent: 'connection', // No such file.
  permissionDenied: 'connection', // The file exists, but access is denied.
  refused: 'connection', // Nothing listens there.
  notASocket: 'connection', // A folder or a regular file.
  unreachable: 'connection', // Any other failure to connect.
  badEndpoint: 'user', // The address is invalid.
  hostUnknown: 'connection', // The host name cannot be resolved.
  connectTimeout: 'connection', // The host did not accept the connection in time.
  contextMissing: 'connection', // The context that `engineMessage` names does not exist.
  contextBroken: 'user', // The context that `engineMessage` names has no usable address.

  // TLS.
  certificateUntrusted: 'connection', // The certificate of the engine; `cause` has the code.
  clientCertificateNeeded: 'connection', // The engine requires a client certificate, or a different one.
  certificateUnusable: 'connection', // Our certificates or key; `cause` is a TlsMaterialError.
  tlsNeeded: 'connection', // The engine requires TLS.
  tlsNotSpoken: 'connection', // The engine does not support TLS.

  // SSH.
  sshMissing: 'user', // There is no ssh program.
  sshHostKey: 'user', // The host key verification failed.
  sshRefused: 'user', // Authentication failed.
  sshNoForwarding: 'user', // The host does not allow forwarding.
  sshSocketMissing: 'connection', // No socket of an engine was found on the host.
  sshFailed: 'connection', // Any other failure.
  sshFull: 'request', // No session is left for another stream.

  // No attempt was made.
  disconnected: 'request', // The user disconnected the engine.
  engineRemoved: 'request', // The engine is no longer in the settings.
  engineReplaced: 'request', // Another address is in use now.

  // Something responded.
  notAnEngine: 'connection', // It is not the API of an engine.
  proxyPage: 'connection', // The page of a proxy or web server.
  signInNeeded: 'connection', // A proxy or web server that requires a sign-in.
  tooOld: 'connection', // The API versions do not overlap: the engine is too old.
  tooNew: 'connection', // The API versions do not overlap: the engine is too new.
  pinRefused: 'connection', // The pinned API version is not supported by the engine or by us.
  timeout: 'interrupted', // No response within the limit of the call.
  cut: 'interrupted', // The connection ended before the response did.
  badAnswer: 'request', // The response violates the API.
  tooLarge: 'request', // The response exceeds our limit.

  // The engine refused the request.
  notFound: 'request',
  conflict: 'request',
  badRequest: 'request',
  unauthorized: 'request',
  failed: 'request', // Any other status, or a failure reported inside a stream.
} as const satisfies Readonly<Record<string, FailureKind>>;

/** Details of a failure. Every known field is set. */
export interface FailureDetails extends Partial<RequestContext> {
  /** The HTTP status, if there was a response. */
  readonly status?: number;
  /** The message of the engine, or ours in its place. */
  readonly engineMessage?: string | Sentence;
  /** For `timeout`, the time limit of the call. */
  readonly limitSeconds?: number;
  /** Whether nothing is tried again until the user wants it, whatever the reason: ssh would ask the user again. */
  readonly isFinal?: boolean | undefined;
  readonly cause?: unknown;
}

/** Fields replaced in the copy of an error. */
export interface FailureChanges extends FailureDetails {
  readonly reason?: FailureReason;
}

/** The request and its engine, for error messages. */
export interface RequestContext {
  /** The address of the engine, without secrets. */
  readonly endpoint: string;
  /** Method and path without query values, for example `POST /containers/abc/start`. */
  readonly operation: string;
}

/** A failure of an engine or of the connection to it. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly reason: FailureReason;
  readonly status: number | undefined;
  /** Cleaned by `plainText` and without the passwords of URLs. */
  readonly engineMessage: string | undefined;
  /**
   * Sentence shown in place of `engineMessage`, to be translated, with clean values; undefined if that is the engine's.
   */
  readonly sentence: Sentence | undefined;
  readonly endpoint: string | undefined;
  readonly operation: string | undefined;
  readonly limitSeconds: number | undefined;
  readonly isFinal: boolean | undefined;

  constructor(reason: FailureReason, details: FailureDetails = {}) {
    // The text comes from the network and is shown to the user: clean it here, so that no caller can bypass this.
    const { engineMessage: given } = details;
    const english = typeof given === 'object' ? inEnglish(given) : given;
    const words = english === undefined ? undefined : cleaned(english);
    super(words ?? reason, { cause: details.cause });
    this.reason = reason;
    this.status = details.status;
    this.engineMessage = words;
    this.sentence = typeof given === 'object' ? withCleanValues(given) : undefined;
    this.endpoint = details.endpoint;
    this.operation = details.operation;
    this.limitSeconds = details.limitSeconds;
    this.isFinal = details.isFinal;
  }

  /** Everything but the reason and the cause. */
  get details(): FailureDetails {
    const { status, endpoint, operation, limitSeconds, isFinal } = this;
    const engineMessage = this.sentence ?? this.engineMessage;
    return { status, engineMessage, endpoint, operation, limitSeconds, isFinal };
  }

  /** Returns a copy with these details. The cause is dropped unless given, because it may repeat what is replaced. */
  with({ reason = this.reason, ...changes }: FailureChanges): EngineError {
    return new EngineError(reason, { ...this.details, ...changes });
  }
}

const cleaned = (text: string): string => plainText(withoutUrlPasswords(text));

function withCleanValues({ text, values }: Sentence): Sentence {
  return {
    text,
    values: values.map((value) => {
      if (typeof value === 'object') return withCleanValues(value);
      return typeof value === 'string' ? cleaned(value) : value;
    }),
  };
}

/** Whether `error` is an EngineError with one of these reasons. */
export function failedWith(
  error: unknown,
  ...reasons: readonly FailureReason[]
): error is EngineError {
  return error instanceof EngineError && reasons.includes(error.reason);
}

/** Whether the engine refused the operation. The engines use different statuses; only an inspect shows why. */
export function isRefusal(error: unknown): error is EngineError {
  return failedWith(error, 'conflict', 'badRequest', 'failed');
}

/** Awaits a promise. Resolves to undefined if it rejects with `notFound`. */
export async function unlessNotFound<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (failedWith(error, 'notFound')) return undefined;
    throw error;
  }
}

/** The reasons of failures that mean that there is no usable engine, regardless of the request. */
export const CONNECTION_REASONS: readonly string[] = Object.entries(FAILURE_KINDS).flatMap(
  ([reason, kind]) => (kind === 'connection' || kind === 'user' ? [reason] : []),
);

/** Whether a failure means that there is no usable engine, regardless of the request. */
export function isConnectionFailure(error: unknown): error is EngineError {
  return error instanceof EngineError && CONNECTION_REASONS.includes(error.reason);
}

/** Whether the engine cannot be reached now, which is unrelated to the request. */
export function isLost(error: unknown): error is EngineError {
  return error instanceof EngineError && FAILURE_KINDS[error.reason] !== 'request';
}

/**
 * Whether only the user can fix a failure or retry. There must be no automatic reconnect: it would ask for a password
 * again and again, or lock an account.
 */
export function needsUser({ reason, isFinal }: Pick<EngineError, 'reason' | 'isFinal'>): boolean {
  return isFinal === true || FAILURE_KINDS[reason] === 'user';
}

/** Input that was rejected before any request. Its words can be shown to the user. */
export class InputError extends Error {
  override readonly name = 'InputError';
  /** Sentence shown, to be translated; undefined if the message is in the language of the user. */
  readonly sentence: Sentence | undefined;

  constructor(words: string | Sentence, options?: ErrorOptions) {
    super(typeof words === 'string' ? words : inEnglish(words), options);
    this.sentence = typeof words === 'string' ? undefined : words;
  }

  /** Returns the error with a sentence. `text` must be a literal, so that translators get it. */
  static of(text: string, ...values: Sentence['values']): InputError {
    return new InputError({ text, values });
  }
}

/** Refusal in Restricted Mode: the user can trust the workspace. */
export class RestrictedModeError extends InputError {}

/** The source of an upload could not be read. `cause` is the reason, and its message is used. */
export class UploadError extends Error {
  override readonly name = 'UploadError';

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
