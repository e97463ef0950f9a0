import { stat } from 'node:fs/promises';
import type { Endpoint } from './endpoint.ts';
import { EngineError, type FailureDetails, type FailureReason } from './errors.ts';

const BY_CODE: Readonly<Record<string, FailureReason>> = {
  ENOENT: 'socketAbsent',
  EACCES: 'permissionDenied',
  EPERM: 'permissionDenied',
  ECONNREFUSED: 'refused',
  ENOTSOCK: 'notASocket',
  EISDIR: 'notASocket',
  ENOTDIR: 'socketAbsent',
  ECONNRESET: 'cut',
  EPIPE: 'cut',
  UND_ERR_SOCKET: 'cut',
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
  const code = codeOf(error);
  // The HTTP parser gave up on what came: something else listens there.
  if (code.startsWith('HPE_')) return 'notAnEngine';
  const reason = BY_CODE[code] ?? 'unreachable';
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

/** An answer with a status of 400 or more. A body that is no engine's is kept as trimmed text. */
export function statusFailure(
  status: number,
  contentType: string,
  text: string,
  details: Pick<FailureDetails, 'endpoint' | 'operation'>,
): EngineError {
  const engineMessage = readMessage(contentType, text);
  return new EngineError(BY_STATUS[status] ?? 'failed', {
    ...details,
    status,
    ...(engineMessage === '' ? {} : { engineMessage }),
  });
}

function readMessage(contentType: string, text: string): string {
  if (/^application\/json\b/i.test(contentType)) {
    const parsed = parse(text);
    if (typeof parsed === 'object' && parsed !== null && 'message' in parsed) {
      return String(parsed.message).trimEnd();
    }
  }
  // A proxy's page says nothing to a person.
  return /<html|<!doctype/i.test(text) ? '' : text.trim().slice(0, 2000);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
