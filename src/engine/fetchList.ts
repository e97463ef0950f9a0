import type { Connection } from './http/connection.ts';
import { EngineError } from './errors.ts';
import { badAnswer } from './http/readReply.ts';
import type { EngineRequest } from './http/engineRequest.ts';
import { operationOf } from './http/requestRecord.ts';

/** Bytes: 10,000 containers with all their labels have 20 to 30 MB, and parsed they take many times that. */
const LIST_LIMIT = 64 * 1024 * 1024;
/** Ten times what anybody was seen to have. */
const COUNT_LIMIT = 100_000;

/**
 * Asks for a list.
 *
 * @throws EngineError `badAnswer` where the answer is none; `tooLarge` past 64 MiB or 100,000 entries.
 */
export async function fetchList(
  connection: Connection,
  request: EngineRequest,
): Promise<readonly unknown[]> {
  const reply = await connection.send({ ...request, answerLimit: LIST_LIMIT });
  const list: unknown = reply.json();
  const operation = operationOf(request);
  if (!Array.isArray(list)) throw badAnswer(connection, operation);
  if (list.length > COUNT_LIMIT) {
    throw new EngineError('tooLarge', { endpoint: connection.endpoint.url, operation });
  }
  return list as readonly unknown[];
}
