import type { Connection } from './connection.ts';
import type { Reply, StreamReply } from './request.ts';
import { EngineError, failedWith } from './errors.ts';
import { isJson, statusFailure } from './failures.ts';
import type { EngineInfo } from './model.ts';
import { compareApi, isVersionRefusal } from './version.ts';

/** Which request of which engine, for error texts. */
export interface Where {
  readonly endpoint: string;
  readonly operation: string;
}

const ERROR_BODY_LIMIT = 1024 * 1024;

/** An answer that says no, read whole. */
export class Refusal {
  readonly failure: EngineError;
  readonly headers: Readonly<Record<string, string>>;

  constructor(failure: EngineError, headers: Readonly<Record<string, string>>) {
    this.failure = failure;
    this.headers = headers;
  }
}

/** Collects a body. @throws EngineError `tooLarge` past `limit` bytes. */
export async function readBody(
  body: AsyncIterable<Uint8Array>,
  limit: number,
  where: Where,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) throw new EngineError('tooLarge', where);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** A whole answer, its JSON parsed when asked for. */
export function readReply(reply: StreamReply, body: Buffer, where: Where): Reply {
  const text = body.toString('utf8');
  return {
    status: reply.status,
    headers: reply.headers,
    text,
    json: () => {
      try {
        return JSON.parse(text) as unknown;
      } catch (cause) {
        throw new EngineError('badAnswer', { ...where, status: reply.status, cause });
      }
    },
  };
}

/** Reads what the engine says about its refusal. */
export async function readRefusal(reply: StreamReply, where: Where): Promise<Refusal> {
  const text = await readBody(reply.body, ERROR_BODY_LIMIT, where)
    .then((body) => body.toString('utf8'))
    .catch((error: unknown) => {
      // A refusal is one even where its explanation is cut or endless.
      if (failedWith(error, 'cut', 'tooLarge')) return '';
      throw error;
    });
  const contentType = reply.headers['content-type'] ?? '';
  return new Refusal(statusFailure(reply.status, contentType, text, where), reply.headers);
}

/**
 * A refused `_ping`: an engine names its version or explains itself in JSON, and it always has a `_ping`.
 * Anything else is no engine.
 */
export function asPingFailure(refusal: Refusal): EngineError {
  const { failure, headers } = refusal;
  const explains = isJson(headers['content-type'] ?? '') && failure.engineMessage !== undefined;
  if (headers['api-version'] !== undefined || (explains && failure.status !== 404)) return failure;
  return new EngineError('notAnEngine', {
    ...(failure.endpoint === undefined ? {} : { endpoint: failure.endpoint }),
    ...(failure.status === undefined ? {} : { status: failure.status }),
    ...(failure.engineMessage === undefined ? {} : { engineMessage: failure.engineMessage }),
  });
}

/** A refusal after a second negotiation: the version ranges do not meet, or it was about something else. */
export function asVersionFailure(info: EngineInfo, refusal: Refusal): EngineError {
  const { failure, headers } = refusal;
  if (!isVersionRefusal(info, failure, headers)) return failure;
  // We offered the lower of both: only the engine's minimum can still be above ours.
  const reason = compareApi(info.engineApi, info.api) > 0 ? 'tooNew' : 'tooOld';
  return new EngineError(reason, {
    engineMessage: failure.message,
    ...(failure.endpoint === undefined ? {} : { endpoint: failure.endpoint }),
  });
}

/** An answer that is not what the API promises of this operation. */
export function badAnswer(connection: Connection, operation: string): EngineError {
  return new EngineError('badAnswer', { endpoint: connection.endpoint.url, operation });
}
