import type { Connection } from '../../../src/engine/http/connection.ts';
import { inspectContainer } from '../../../src/engine/containers/containers.ts';
import { LogReader, type LogOptions } from '../../../src/engine/logs/logReader.ts';
import type { LogLine } from '../../../src/engine/model.ts';

/**
 * Reads a log to its end; see {@link LogReader.open}. An unterminated last line is the last batch.
 *
 * @param options `hasTty` is looked up if not given.
 */
export async function readLogs(
  connection: Connection,
  id: string,
  options: Omit<LogOptions, 'hasTty'> & { readonly follow: boolean; readonly hasTty?: boolean },
  signal: AbortSignal,
): Promise<AsyncIterable<readonly LogLine[]>> {
  const hasTty = options.hasTty ?? (await inspectContainer(connection, id, signal)).hasTty;
  const reader = new LogReader(id, { ...options, hasTty });
  const { follow } = options;
  const batches = await reader.open(connection, { follow }, signal);
  const again = (): ReturnType<LogReader['open']> =>
    reader.open(connection, { follow: false }, signal);
  return toTheEnd(batches, follow ? again : undefined, reader);
}

async function* toTheEnd(
  batches: AsyncIterable<readonly LogLine[]>,
  again: (() => Promise<AsyncIterable<readonly LogLine[]>>) | undefined,
  reader: LogReader,
): AsyncGenerator<readonly LogLine[]> {
  yield* batches;
  if (again) yield* await again();
  const rest = reader.flush();
  if (rest.length > 0) yield rest;
}
