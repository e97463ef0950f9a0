import type { Connection } from '../http/connection.ts';
import { readLogs } from './readLogs.ts';

/** So many records from the end are looked at: a program often ends with empty lines. */
const RECORDS = 20;

/**
 * The last line of a container's log that says something: `GET /containers/{id}/logs`. Undefined where there is
 * none. Rejects where the log cannot be read.
 *
 * @param hasTty whether the container has a terminal.
 */
export async function readLastLine(
  connection: Connection,
  id: string,
  hasTty: boolean,
  signal: AbortSignal,
): Promise<string | undefined> {
  const options = { tail: RECORDS, follow: false, hasTty, wantsStamps: false };
  let last: string | undefined;
  for await (const lines of await readLogs(connection, id, options, signal)) {
    for (const { text } of lines) if (text.trim() !== '') last = text;
  }
  return last;
}
