import { ByteStore } from '../logs/byteStore.ts';
import type { Endpoint } from '../discovery/endpoint.ts';
import type { Reply, StreamReply } from './engineRequest.ts';
import { EngineError, failedWith, type FailureReason, type RequestContext } from '../errors.ts';
import { parseJson } from '../parseJson.ts';
import { isJsonType, isHtmlPage, statusFailure } from './connectionFailure.ts';
import type { EngineInfo } from '../model.ts';
import { compareApi, isVersionRefusal } from '../version.ts';

const ERROR_BODY_LIMIT = 1024 * 1024;

/** A whole answer, its JSON parsed when asked for. */
export function readReply(
  reply: StreamReply,
  body: Buffer,
  where: RequestContext,
  answerLimit?: number,
): Reply {
  const text = body.toString('utf8');
  return {
    status: reply.status,
    headers: reply.headers,
    text,
    json: () => {
      try {
        return parseJson(text, where, answerLimit);
      } catch (cause) {
        if (cause instanceof EngineError) throw cause;
        throw new EngineError('badAnswer', { ...where, status: reply.status, cause });
      }
    },
  };
}

/** An answer that says no, read whole. */
export class Refusal {
  readonly failure: EngineError;
  readonly headers: Readonly<Record<string, string>>;
  /** The whole body; of a page nothing is in the failure's words. */
  readonly text: string;

  constructor(failure: EngineError, headers: Readonly<Record<string, string>>, text: string) {
    this.failure = failure;
    this.headers = headers;
    this.text = text;
  }
}

/** Collects a body. @throws EngineError `tooLarge` past `limit` bytes. */
export async function readBody(
  body: AsyncIterable<Uint8Array>,
  limit: number,
  where: RequestContext,
): Promise<Buffer> {
  const bytes = new ByteStore();
  for await (const chunk of body) {
    if (bytes.size + chunk.length > limit) throw new EngineError('tooLarge', where);
    bytes.add(chunk);
  }
  return bytes.take();
}

/** Reads what the engine says about its refusal. */
export async function readRefusal(reply: StreamReply, where: RequestContext): Promise<Refusal> {
  const text = await readBody(reply.body, ERROR_BODY_LIMIT, where)
    .then((body) => body.toString('utf8'))
    .catch((error: unknown) => {
      // A refusal is one even where its explanation is cut or endless.
      if (failedWith(error, 'cut', 'tooLarge')) return '';
      throw error;
    });
  const contentType = reply.headers['content-type'] ?? '';
  return new Refusal(statusFailure(reply.status, contentType, text, where), reply.headers, text);
}

/**
 * A refused `_ping`: an engine names its version or explains itself in JSON, and it always has a `_ping`.
 * Anything else is no engine, but what it is may be told.
 */
export function asPingFailure(refusal: Refusal): EngineError {
  const { failure, headers } = refusal;
  const { endpoint, status, engineMessage } = failure;
  const explains = isJsonType(headers['content-type'] ?? '') && engineMessage !== undefined;
  if (headers['api-version'] !== undefined || (explains && status !== 404)) return failure;
  return new EngineError(reasonOfStranger(refusal), { endpoint, status, engineMessage });
}

/** What only a gateway says: it leads elsewhere, wants to know who asks, or does not reach who should answer. */
const GATEWAY_STATUSES: readonly number[] = [301, 302, 303, 307, 308, 407, 502, 503, 504];

function reasonOfStranger({ failure, headers, text }: Refusal): FailureReason {
  // Go's servers say it in words alone; there is no code for it.
  const isTlsPort = /HTTP request (?:was sent )?to (?:an )?HTTPS/i;
  if (failure.status === 400 && isTlsPort.test(text)) return 'tlsNeeded';
  const isGateway = GATEWAY_STATUSES.includes(failure.status ?? 0);
  return isGateway || isHtmlPage(headers['content-type'] ?? '', text) ? 'proxyPage' : 'notAnEngine';
}

/** A refusal after a second negotiation: the version ranges do not meet, or it was about something else. */
export function asVersionFailure(
  info: EngineInfo,
  { failure }: Refusal,
  { pinnedApi }: Pick<Endpoint, 'pinnedApi'>,
): EngineError {
  if (!isVersionRefusal(failure)) return failure;
  // We offered the lower of both: only the engine's minimum can still be above ours.
  const apart = compareApi(info.engineApi, info.api) > 0 ? 'tooNew' : 'tooOld';
  const reason = pinnedApi === undefined || pinnedApi === '' ? apart : 'pinRefused';
  return new EngineError(reason, { engineMessage: failure.message, endpoint: failure.endpoint });
}

/** An answer that is not what the API promises of this operation. */
export function badAnswer(
  { endpoint }: { readonly endpoint: Endpoint },
  operation: string,
): EngineError {
  return new EngineError('badAnswer', { endpoint: endpoint.url, operation });
}
