/** What an engine tells, record by record, while it fetches an image or sends one. */

import type { Connection } from '../http/connection.ts';
import type { RequestContext } from '../errors.ts';
import type { PullStep } from '../model.ts';
import type { EngineRequest } from '../http/engineRequest.ts';
import { operationOf } from '../http/requestRecord.ts';
import { JsonRecords } from '../jsonRecords.ts';
import { streamFailure } from '../http/connectionFailure.ts';
import { asLine, asNumber, asRecord } from '../wire.ts';

/**
 * Sends the request and hands on every record of the answer as it comes.
 *
 * @throws EngineError where the engine refuses; `cut` for a stream that ended early, `badAnswer` for one that is none.
 */
export async function followTransfer(
  connection: Connection,
  request: EngineRequest,
  onRecord: (record: unknown) => void,
): Promise<void> {
  const reply = await connection.stream(request);
  const where = { endpoint: connection.endpoint.url, operation: operationOf(request) };
  const records = new JsonRecords({ where });
  for await (const chunk of reply.body) records.push(chunk).forEach(onRecord);
  records.end().forEach(onRecord);
}

/**
 * One record; undefined for one that says nothing of a layer or the image.
 *
 * @throws EngineError for one that tells of a failure: `failed`, or the reason that its code stands for.
 */
export function readPullStep(record: unknown, where?: RequestContext): PullStep | undefined {
  const wire = asRecord(record);
  const failure = streamFailure(record, where);
  if (failure) throw failure;
  const status = asLine(wire['status']);
  if (status === '') return undefined;
  const [id, detail] = [asLine(wire['id']), asRecord(wire['progressDetail'])];
  const [current, total] = [asNumber(detail['current']), asNumber(detail['total'])];
  return {
    status,
    ...(id !== '' && { id }),
    ...(current !== undefined && { current }),
    // Zero stands for "not known".
    ...(total !== undefined && total > 0 && { total }),
  };
}
