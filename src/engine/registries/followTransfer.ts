/** Follows the progress records of a pull, push, load or import. */

import type { Connection } from '../http/connection.ts';
import type { PullStep } from '../model.ts';
import type { EngineRequest } from '../http/engineRequest.ts';
import { operationOf } from '../http/requestRecord.ts';
import { JsonRecords } from '../wire/jsonRecords.ts';
import { streamFailure } from '../http/connectionFailure.ts';
import { asLine, asNumber, asRecord } from '../wire/wire.ts';

/**
 * Sends the request and passes each record of the response to `onRecord` as it arrives. The next one waits for the
 * promise that it may return.
 *
 * @throws EngineError if the engine rejects the request; `cut` for a stream that ended early, `badAnswer` for a
 * stream that is not valid JSON; `failed` (or the reason for its code) for a record that reports a failure.
 */
export async function followTransfer(
  connection: Connection,
  request: EngineRequest,
  onRecord: (record: Readonly<Record<string, unknown>>) => unknown,
): Promise<void> {
  const reply = await connection.stream(request);
  const where = { endpoint: connection.endpoint.url, operation: operationOf(request) };
  const records = new JsonRecords(where);
  const report = async (all: readonly unknown[]): Promise<void> => {
    for (const record of all) {
      const failure = streamFailure(record, where);
      if (failure) throw failure;
      const reported = onRecord(asRecord(record));
      if (reported instanceof Promise) await reported;
    }
  };
  for await (const chunk of reply.body) await report(records.push(chunk));
  await report(records.end());
}

/** Reads one progress record; undefined if it has no status. */
export function readPullStep(record: unknown): PullStep | undefined {
  const wire = asRecord(record);
  const status = asLine(wire['status']);
  if (status === '') return undefined;
  const id = asLine(wire['id']);
  const detail = asRecord(wire['progressDetail']);
  const current = asNumber(detail['current']);
  const total = asNumber(detail['total']);
  return {
    status,
    ...(id !== '' && { id }),
    ...(current !== undefined && { current }),
    // Zero means unknown.
    ...(total !== undefined && total > 0 && { total }),
  };
}
