import { stat } from 'node:fs/promises';
import type { Endpoint } from './endpoint.ts';
import { EngineError, type FailureDetails, type FailureReason } from './errors.ts';
import { asRecord, asText } from './wire.ts';

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
  ECONNRESET: 'cut',
  EPIPE: 'cut',
  UND_ERR_SOCKET: 'cut',
  // We closed it ourselves: the engine was given up for another.
  UND_ERR_DESTROYED: 'cut',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'cut',
};

/** Turns what the socket or the HTTP parser threw into an EngineError. */
export async function connectionFailure(
  error: unknown,
  endpoint: Endpoint,
  operation: string,
): Promise<EngineError> {
  if (error instanceof EngineError) return error;
  const details = { endpoint: endpoint.url, operation, cause: error };
  return new EngineError(await reasonOf(error, endpoint), {
    ...details,
    engineMessage: error instanceof Error ? error.message : String(error),
  });
}

async function reasonOf(error: unknown, endpoint: Endpoint): Promise<FailureReason> {
  // The HTTP parser gave up on what came: something else listens there. Such an error may lack its code.
  if (error instanceof Error && error.name === 'HTTPParserError') return 'notAnEngine';
  const reason = BY_CODE[codeOf(error)] ?? 'unreachable';
  if (reason !== 'refused' || endpoint.transport.kind !== 'socket') return reason;
  // Linux answers "refused" for a folder and a plain file, too.
  const found = await stat(endpoint.transport.path).catch(() => undefined);
  return found && !found.isSocket() && !found.isFIFO() ? 'notASocket' : reason;
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
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
  details: Pick<FailureDetails, 'endpoint' | 'operation'>,
): EngineError {
  const engineMessage = readMessage(contentType, text);
  // No engine has a reason to send us elsewhere.
  const otherwise = status < 400 ? 'badAnswer' : 'failed';
  return new EngineError(BY_STATUS[status] ?? otherwise, {
    ...details,
    status,
    ...(engineMessage === '' ? {} : { engineMessage }),
  });
}

/** Whether a Content-Type says JSON, whatever parameters follow. */
export function isJson(contentType: string): boolean {
  return /^application\/json\b/i.test(contentType);
}

function readMessage(contentType: string, text: string): string {
  if (isJson(contentType)) return asText(asRecord(parse(text))['message']).trimEnd();
  // A proxy's page says nothing to a person.
  const isPage = /^text\/html\b/i.test(contentType) || /<html|<!doctype/i.test(text);
  return isPage ? '' : text.trim().slice(0, 2000);
}

/** Undefined for what is no JSON, as half an answer is. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
