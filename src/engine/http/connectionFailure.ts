import { stat } from 'node:fs/promises';
import type { Endpoint } from './endpoint.ts';
import { EngineError, failedWith, type FailureReason, type RequestContext } from '../errors.ts';
import { tlsFailureReason } from './tlsFailureReason.ts';
import { tryParseJson, isHtmlPage } from '../wire/parseJson.ts';
import { asNumber, asRecord, asText } from '../wire/wire.ts';

const BY_CODE: Readonly<Record<string, FailureReason>> = {
  ENOENT: 'socketAbsent',
  EACCES: 'permissionDenied',
  EPERM: 'permissionDenied',
  ECONNREFUSED: 'refused',
  ENOTSOCK: 'notASocket',
  EISDIR: 'notASocket',
  ENOTDIR: 'socketAbsent',
  // The path is too long for a socket.
  EINVAL: 'badEndpoint',
  ENAMETOOLONG: 'badEndpoint',
  ENOTFOUND: 'hostUnknown',
  ETIMEDOUT: 'connectTimeout',
  UND_ERR_CONNECT_TIMEOUT: 'connectTimeout',
  ECONNRESET: 'cut',
  ECONNABORTED: 'cut',
  EPIPE: 'cut',
  UND_ERR_SOCKET: 'cut',
  // undici asserts that an upgrade was requested and names its protocol.
  ERR_ASSERTION: 'cut',
  // We closed the connection, because another engine is used now.
  UND_ERR_DESTROYED: 'cut',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'cut',
};

/** If a host has several addresses that fail differently: the first of these reasons is reported. */
const TELLING: readonly FailureReason[] = ['permissionDenied', 'refused', 'connectTimeout'];

/**
 * Converts an error of the socket or of the HTTP parser to an EngineError.
 *
 * @param operation method and path, for the error text.
 */
export async function connectionFailure(
  error: unknown,
  endpoint: Endpoint,
  operation: string,
): Promise<EngineError> {
  const where = { endpoint: endpoint.url, operation };
  // The code that throws these knows the certificates, but not the request.
  if (failedWith(error, 'certificateUnusable', 'clientCertificateNeeded'))
    return new EngineError(error.reason, { ...where, cause: error.cause });
  if (error instanceof EngineError) return error;
  const ofTls = tlsFailureReason(error, endpoint);
  if (ofTls) return new EngineError(ofTls, { ...where, cause: error });
  return new EngineError(await reasonOf(error, endpoint), {
    ...where,
    cause: error,
    engineMessage: causeMessage(error),
  });
}

/**
 * Returns the message of an error. For a TLS error, `reason` is a short phrase, whereas the message contains
 * source file and line.
 */
function causeMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { library, reason } = asRecord(error);
  return (library === undefined ? '' : asText(reason)) || error.message;
}

async function reasonOf(error: unknown, endpoint: Endpoint): Promise<FailureReason> {
  const ofParser = parserReason(error);
  if (ofParser) return ofParser;
  // The local end of a tunnel that just broke. The next attempt reports why.
  if (endpoint.transport.kind === 'ssh') return 'cut';
  const reason = reasonOfCodes(error);
  if (reason !== 'refused' || endpoint.transport.kind !== 'socket') return reason;
  // Linux reports "connection refused" for a folder or a regular file, too.
  const found = await stat(endpoint.transport.path).catch(() => undefined);
  return found && !found.isSocket() && !found.isFIFO() ? 'notASocket' : reason;
}

/** Returns the reason if undici could not parse a response. Most of these errors have no code. */
function parserReason(error: unknown): FailureReason | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = asRecord(error);
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'tooLarge';
  if (error.name !== 'HTTPParserError') return undefined;
  // Otherwise something other than an engine listens there.
  return error.message.endsWith('(Invalid EOF state)') ? 'cut' : 'notAnEngine';
}

/** A host with several addresses fails with one error per address. */
function reasonOfCodes(error: unknown): FailureReason {
  if (!(error instanceof AggregateError)) return reasonOfCode(error);
  const reasons = error.errors.map(reasonOfCode);
  return TELLING.find((reason) => reasons.includes(reason)) ?? reasons[0] ?? 'unreachable';
}

function reasonOfCode(error: unknown): FailureReason {
  const { code, syscall } = error instanceof Error ? asRecord(error) : {};
  // Any failure of name resolution.
  if (asText(code).startsWith('EAI_')) return 'hostUnknown';
  const reason = BY_CODE[asText(code)] ?? 'unreachable';
  const isOpen = syscall === 'read' || syscall === 'write';
  // The network failed under an open connection. The next attempt reports why.
  return isOpen && (reason === 'connectTimeout' || reason === 'unreachable') ? 'cut' : reason;
}

const BY_STATUS: Readonly<Record<number, FailureReason>> = {
  400: 'badRequest',
  401: 'unauthorized',
  404: 'notFound',
  409: 'conflict',
};

/**
 * Returns the error for a response whose status is not 2xx or 304. If the body is not JSON, its text becomes the
 * message, trimmed and cut after 2,000 characters; an HTML page has no message.
 */
export function statusFailure(
  status: number,
  contentType: string,
  text: string,
  where: Partial<RequestContext>,
): EngineError {
  const engineMessage = readMessage(contentType, text);
  // An engine never sends a redirect.
  const otherwise = status < 400 ? 'badAnswer' : 'failed';
  return new EngineError(BY_STATUS[status] ?? otherwise, {
    ...where,
    status,
    engineMessage: engineMessage || undefined,
  });
}

/** Returns whether a Content-Type is JSON, with or without parameters. */
export function isJsonType(contentType: string): boolean {
  return /^application\/json\b/i.test(contentType);
}

function readMessage(contentType: string, text: string): string {
  if (isJsonType(contentType)) return messageIn(tryParseJson(text));
  // The page of a proxy does not help the user.
  return isHtmlPage(contentType, text) ? '' : text.trim().slice(0, 2000);
}

/** If a push fails, Podman 5 sends the record of a stream (`errorDetail`) instead of an error (`message`). */
function messageIn(answer: unknown): string {
  return asText(asRecord(answer)['message']).trimEnd() || streamErrorMessage(answer);
}
const REASONS: Readonly<Record<number, FailureReason>> = { 401: 'unauthorized', 404: 'notFound' };

/**
 * Returns the error that a record of a progress stream reports after a 2xx status; undefined if the record
 * reports no error.
 */
export function streamFailure(record: unknown, where?: RequestContext): EngineError | undefined {
  const { errorDetail } = asRecord(record);
  const engineMessage = streamErrorMessage(record) || undefined;
  if (engineMessage === undefined && errorDetail === undefined) return undefined;
  const reason = REASONS[asNumber(asRecord(errorDetail)['code']) ?? 0] ?? 'failed';
  return new EngineError(reason, { ...where, engineMessage });
}

/** Returns the error message of a stream record; empty if there is none. */
function streamErrorMessage(record: unknown): string {
  const { error, errorDetail } = asRecord(record);
  return (asText(asRecord(errorDetail)['message']) || asText(error)).trim();
}
