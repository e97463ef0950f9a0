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
  return (await readLastLines(connection, id, { hasTty, count: RECORDS }, signal)).at(-1);
}

/**
 * Returns the last non-blank lines of a container's log, as {@link readLastLine} does.
 *
 * @param options `count`: how many records to read at most.
 * @throws EngineError if the log cannot be read.
 */
export async function readLastLines(
  connection: Connection,
  id: string,
  { hasTty, count }: { readonly hasTty: boolean; readonly count: number },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const reader = new LogReader(id, { tail: count, hasTty, wantsStamps: false });
  const last: string[] = [];
  const keep = ({ text }: LogLine): void => {
    if (text.trim() === '') return;
    last.push(text);
    // A record may be of many lines.
    if (last.length > count) last.shift();
  };
  for await (const lines of await reader.open(connection, { follow: false }, signal))
    lines.forEach(keep);
  reader.flush().forEach(keep);
  return last;
}
