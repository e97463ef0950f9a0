import { ByteStore } from '../wire/byteStore.ts';
import type { Endpoint } from './endpoint.ts';
import type { Reply, StreamReply } from './engineRequest.ts';
import { EngineError, failedWith, type FailureReason, type RequestContext } from '../errors.ts';
import { parseJson, isHtmlPage } from '../wire/parseJson.ts';
import { isJsonType, statusFailure } from './connectionFailure.ts';
import type { EngineInfo } from '../model.ts';
import { capabilitiesOf } from '../capabilities/capabilities.ts';
import { compareApi, isVersionRefusal, OLDEST_API, OUR_API } from '../capabilities/version.ts';

/** Returns a complete response. Its JSON is parsed on request. */
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

/** In bytes. For bodies that are a few words: the message of an error, an exit code. */
export const SHORT_BODY_LIMIT = 1024 * 1024;

/** A response with an error status, read completely. */
export interface Refusal extends Pick<StreamReply, 'headers'> {
  readonly failure: EngineError;
  /** The whole body. If it is an HTML page, `failure` has no message. */
  readonly text: string;
}

/** Reads a whole body. @throws EngineError `tooLarge` past `limit` bytes. */
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
  return bytes.drain();
}

/** Reads the error message of a response with an error status. */
export async function readRefusal(reply: StreamReply, where: RequestContext): Promise<Refusal> {
  const text = await readBody(reply.body, SHORT_BODY_LIMIT, where)
    .then((body) => body.toString('utf8'))
    .catch((error: unknown) => {
      // The status is an error even if the message is incomplete or too large.
      if (failedWith(error, 'cut', 'tooLarge')) return '';
      throw error;
    });
  const contentType = reply.headers['content-type'] ?? '';
  const failure = statusFailure(reply.status, contentType, text, where);
  return { failure, headers: reply.headers, text };
}

/**
 * Returns the error for a refused `_ping`. An engine sends its version in a header or an error as JSON, and
 * always has `_ping`. Any other response does not come from an engine; the reason states what it may come from.
 */
export function asPingFailure(refusal: Refusal): EngineError {
  const { failure, headers } = refusal;
  const { endpoint, status, engineMessage } = failure;
  const explains = isJsonType(headers['content-type'] ?? '') && engineMessage !== undefined;
  if (headers['api-version'] !== undefined || (explains && status !== 404)) return failure;
  return new EngineError(reasonOfStranger(refusal), { endpoint, status, engineMessage });
}

/** Statuses that only a gateway sends: redirects, upstream not reachable. */
const GATEWAY_STATUSES: readonly number[] = [301, 302, 303, 307, 308, 502, 503, 504];

/** Statuses that ask for a sign-in, of a server or a proxy. */
const SIGN_IN_STATUSES: readonly number[] = [401, 407];

function reasonOfStranger({ failure, headers, text }: Refusal): FailureReason {
  // Go's HTTP server reports it only in the text; there is no code for it.
  const isTlsPort = /HTTP request (?:was sent )?to (?:an )?HTTPS/i;
  if (failure.status === 400 && isTlsPort.test(text)) return 'tlsNeeded';
  if (SIGN_IN_STATUSES.includes(failure.status ?? 0)) return 'signInNeeded';
  const isGateway = GATEWAY_STATUSES.includes(failure.status ?? 0);
  return isGateway || isHtmlPage(headers['content-type'] ?? '', text) ? 'proxyPage' : 'notAnEngine';
}

/**
 * Returns the error for a request that was refused again after a second negotiation: the version ranges do not
 * overlap, or the refusal has another reason.
 */
export function asVersionFailure(
  info: EngineInfo,
  { failure }: Refusal,
  { pinnedApi }: Pick<Endpoint, 'pinnedApi'>,
): EngineError {
  if (!isVersionRefusal(failure)) return failure;
  // We used the lower of both versions, so only the engine's minimum can still be above ours.
  const apart = compareApi(info.engineApi, info.api) > 0 ? 'tooNew' : 'tooOld';
  const reason = pinnedApi === undefined || pinnedApi === '' ? apart : 'pinRefused';
  return new EngineError(reason, { engineMessage: failure.message, endpoint: failure.endpoint });
}

/** Returns the error for a response that violates the API of this operation. */
export function badAnswer(
  { endpoint }: { readonly endpoint: Endpoint },
  operation: string,
): EngineError {
  return new EngineError('badAnswer', { endpoint: endpoint.url, operation });
}

/**
 * Returns `info` with the API version to use if the user has pinned one, as with `DOCKER_API_VERSION`: never
 * newer than the pinned version, and never newer than the version we know.
 *
 * @param pinned for example `1.44` or `v1.44`; undefined or empty pins nothing.
 * @throws EngineError `pinRefused` if the engine or we do not support the version; the message names the version.
 */
export function withPinnedApi(
  info: EngineInfo,
  pinned: string | undefined,
  endpoint: string,
): EngineInfo {
  const version = pinned?.trim().replace(/^v/, '') ?? '';
  if (version === '') return info;
  const why = objectionTo(version, info);
  if (why !== undefined) throw new EngineError('pinRefused', { endpoint, engineMessage: why });
  return { ...info, api: compareApi(version, OUR_API) < 0 ? version : OUR_API };
}

/** Uses symbols instead of words, because the text is shown in every language. */
function objectionTo(version: string, info: EngineInfo): string | undefined {
  if (!/^\d+\.\d+$/.test(version)) return JSON.stringify(version);
  if (compareApi(version, OLDEST_API) < 0) return `${version} < ${OLDEST_API}`;
  const isTooNew = compareApi(version, info.engineApi) > 0;
  if (isTooNew && capabilitiesOf(info).refusesNewerApi) return `${version} > ${info.engineApi}`;
  return undefined;
}
