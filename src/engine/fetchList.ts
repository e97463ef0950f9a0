import type { Connection } from './http/connection.ts';
import { EngineError } from './errors.ts';
import { badAnswer } from './http/readReply.ts';
import type { EngineRequest } from './http/engineRequest.ts';
import { operationOf } from './http/requestRecord.ts';

/** In bytes: 10,000 containers with all their labels take 20 to 30 MB, and many times that when parsed. */
const LIST_LIMIT = 64 * 1024 * 1024;

/**
 * Requests a list.
 *
 * @param options `countLimit`: maximum number of entries, by default ten times the largest number observed;
 *   `ifNull`: the value for a response of `null`, if it is allowed.
 * @throws EngineError `badAnswer` if the response is not a list; `tooLarge` past 64 MiB or the limit.
 */
export async function fetchList(
  connection: Connection,
  request: EngineRequest,
  { countLimit = 100_000, ifNull }: { countLimit?: number; ifNull?: readonly unknown[] } = {},
): Promise<readonly unknown[]> {
  const reply = await connection.send({ ...request, answerLimit: LIST_LIMIT });
  const list: unknown = reply.json() ?? ifNull;
  const operation = operationOf(request);
  if (!Array.isArray(list)) throw badAnswer(connection, operation);
  if (list.length > countLimit) {
    throw new EngineError('tooLarge', { endpoint: connection.endpoint.url, operation });
  }
  return list as readonly unknown[];
}
