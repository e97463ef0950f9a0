import type { Connection } from '../http/connection.ts';
import type { LogLine } from '../model.ts';
import { LogReader } from './logReader.ts';

/** Number of records to read from the end. Several, because programs often end with empty lines. */
const RECORDS = 20;

/**
 * Returns the last non-blank line of a container's log: `GET /containers/{id}/logs`. Resolves to undefined if
 * there is none.
 *
 * @param hasTty whether the container has a TTY.
 * @throws EngineError if the log cannot be read.
 */
export async function readLastLine(
  connection: Connection,
  id: string,
  hasTty: boolean,
  signal: AbortSignal,
): Promise<string | undefined> {
  const reader = new LogReader(id, { tail: RECORDS, hasTty, wantsStamps: false });
  let last: string | undefined;
  const keep = ({ text }: LogLine): void => {
    if (text.trim() !== '') last = text;
  };
  for await (const lines of await reader.open(connection, { follow: false }, signal))
    lines.forEach(keep);
  reader.flush().forEach(keep);
  return last;
}
