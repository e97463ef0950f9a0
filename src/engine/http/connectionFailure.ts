import { stat } from 'node:fs/promises';
import type { Endpoint } from '../discovery/endpoint.ts';
import { EngineError, failedWith, type FailureReason, type RequestContext } from '../errors.ts';
import { tlsFailureReason } from './tlsFailureReason.ts';
import { parseJson } from '../parseJson.ts';
import { asNumber, asRecord, asText } from '../wire.ts';

const BY_CODE: Readonly<Record<string, FailureReason>> = {
  ENOENT: 'socketAbsent',
  EACCES: 'permissionDenied',
  EPERM: 'permissionDenied',
  ECONNREFUSED: 'refused',
  ENOTSOCK: 'notASocket',
  EISDIR: 'notASocket',
  ENOTDIR: 'socketAbsent',
  // A path that no socket can have: it is too long.
  EINVAL: 'badEndpoint',
  ENAMETOOLONG: 'badEndpoint',
  ENOTFOUND: 'hostUnknown',
  ETIMEDOUT: 'connectTimeout',
  UND_ERR_CONNECT_TIMEOUT: 'connectTimeout',
  ECONNRESET: 'cut',
  ECONNABORTED: 'cut',
  EPIPE: 'cut',
  UND_ERR_SOCKET: 'cut',
  // We closed it ourselves: the engine was given up for another.
  UND_ERR_DESTROYED: 'cut',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'cut',
  UND_ERR_HEADERS_OVERFLOW: 'tooLarge',
};

/** Of several addresses of one machine, which failure says most: the first of these. */
const TELLING: readonly FailureReason[] = ['permissionDenied', 'refused', 'connectTimeout'];

/** Turns what the socket or the HTTP parser threw into an EngineError. */
export async function connectionFailure(
  error: unknown,
  endpoint: Endpoint,
  operation: string,
): Promise<EngineError> {
  const where = { endpoint: endpoint.url, operation };
  // What went wrong with the certificates is known where these are, but not with which request.
  if (failedWith(error, 'certificateUnusable', 'clientCertificateNeeded')) {
    return new EngineError(error.reason, { ...where, cause: error.cause });
  }
  if (error instanceof EngineError) return error;
  const ofTls = tlsFailureReason(error, endpoint);
  if (ofTls) return new EngineError(ofTls, { ...where, cause: error });
  return new EngineError(await reasonOf(error, endpoint), {
    ...where,
    cause: error,
    engineMessage: causeMessage(error),
  });
}

/** The TLS library's messages are lines of its source; its reason is a few words. */
function causeMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { library, reason } = asRecord(error);
  return (library === undefined ? '' : asText(reason)) || error.message;
}

async function reasonOf(error: unknown, endpoint: Endpoint): Promise<FailureReason> {
  // The HTTP parser gave up on what came: something else listens there. Such an error may lack its code.
  if (error instanceof Error && error.name === 'HTTPParserError') return 'notAnEngine';
  // Our end of a tunnel that just broke. The next try says why.
  if (endpoint.transport.kind === 'ssh') return 'cut';
  const reason = reasonOfCodes(error);
  if (reason !== 'refused' || endpoint.transport.kind !== 'socket') return reason;
  // Linux answers "refused" for a folder and a plain file, too.
  const found = await stat(endpoint.transport.path).catch(() => undefined);
  return found && !found.isSocket() && !found.isFIFO() ? 'notASocket' : reason;
}

/** A machine with several addresses fails with one error for each. */
function reasonOfCodes(error: unknown): FailureReason {
  if (!(error instanceof AggregateError)) return reasonOfCode(error);
  const reasons = error.errors.map(reasonOfCode);
  return TELLING.find((reason) => reasons.includes(reason)) ?? reasons[0] ?? 'unreachable';
}

function reasonOfCode(error: unknown): FailureReason {
  const { code, syscall } = factsOf(error);
  // The name server failed in one of its many ways.
  if (code.startsWith('EAI_')) return 'hostUnknown';
  const reason = BY_CODE[code] ?? 'unreachable';
  const isOpen = syscall === 'read' || syscall === 'write';
  // A network that went away under an open connection; asking once more says what is wrong with it.
  return isOpen && (reason === 'connectTimeout' || reason === 'unreachable') ? 'cut' : reason;
}

function factsOf(error: unknown): { readonly code: string; readonly syscall: string } {
  const { code, syscall } = error instanceof Error ? asRecord(error) : {};
  return { code: asText(code), syscall: asText(syscall) };
}

const BY_STATUS: Readonly<Record<number, FailureReason>> = {
  400: 'badRequest',
  401: 'unauthorized',
  404: 'notFound',
  409: 'conflict',
};

/** An answer with a status that says no. A body that is no engine's is kept as trimmed text. */
export function statusFailure(
  status: number,
  contentType: string,
  text: string,
  where: Partial<RequestContext>,
): EngineError {
  const engineMessage = readMessage(contentType, text);
  // No engine has a reason to send us elsewhere.
  const otherwise = status < 400 ? 'badAnswer' : 'failed';
  return new EngineError(BY_STATUS[status] ?? otherwise, {
    ...where,
    status,
    engineMessage: engineMessage || undefined,
  });
}

/** Whether a Content-Type says JSON, whatever parameters follow. */
export function isJsonType(contentType: string): boolean {
  return /^application\/json\b/i.test(contentType);
}

/** Whether an answer is a page for a browser, as proxies and web servers send. */
export function isHtmlPage(contentType: string, text: string): boolean {
  return /^(?:text\/html|application\/xhtml)\b/i.test(contentType) || /<html|<!doctype/i.test(text);
}

function readMessage(contentType: string, text: string): string {
  if (isJsonType(contentType)) return messageIn(parse(text));
  // A proxy's page says nothing to a person.
  return isHtmlPage(contentType, text) ? '' : text.trim().slice(0, 2000);
}

/** Podman 5 answers a push that fails with the record of a stream in place of an error. */
function messageIn(answer: unknown): string {
  return asText(asRecord(answer)['message']).trimEnd() || streamErrorMessage(answer);
}

/** Undefined for what is no JSON, as half an answer is. */
function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

const REASONS: Readonly<Record<number, FailureReason>> = { 401: 'unauthorized', 404: 'notFound' };

/** The failure that one record of a stream tells of, after a status that said yes; undefined for any other record. */
export function streamFailure(record: unknown, where?: RequestContext): EngineError | undefined {
  const { errorDetail } = asRecord(record);
  const engineMessage = streamErrorMessage(record) || undefined;
  if (engineMessage === undefined && errorDetail === undefined) return undefined;
  const reason = REASONS[asNumber(asRecord(errorDetail)['code']) ?? 0] ?? 'failed';
  return new EngineError(reason, { ...where, engineMessage });
}

/** The engine's words in such a record; empty if there are none. */
function streamErrorMessage(record: unknown): string {
  const { error, errorDetail } = asRecord(record);
  return (asText(asRecord(errorDetail)['message']) || asText(error)).trim();
}
