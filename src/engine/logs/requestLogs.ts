import { capabilitiesOf } from '../capabilities.ts';
import type { Connection } from '../http/connection.ts';
import { containerPath } from '../containers/containers.ts';
import type { LineJoiner } from './lineJoiner.ts';
import { FramedLogDecoder, type LogDecoder } from './framedLogDecoder.ts';
import { shiftedDate } from './logStamps.ts';
import { RawLogDecoder } from './rawLogDecoder.ts';
import type { StreamReply } from '../http/engineRequest.ts';

/** Asks for a part of a log. @throws EngineError as `Connection.stream`. */
export async function requestLogs(
  connection: Connection,
  id: string,
  query: LogRange & { readonly follow: boolean; readonly timestamps: boolean },
  signal: AbortSignal,
): Promise<StreamReply> {
  const { follow, timestamps, tail } = query;
  const { includesLogBounds } = capabilitiesOf(await connection.info(signal));
  const { until, since } = includesLogBounds ? query : aroundBounds(query);
  return connection.stream({
    method: 'GET',
    path: containerPath(id, 'logs'),
    query: { stdout: true, stderr: true, follow, timestamps, until, since, tail },
    signal,
  });
}

/** One reading's place in the log: `seconds[.nanoseconds]`, both inclusive; how many records from the end. */
export interface LogRange {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly tail?: number | 'all' | undefined;
}

/** Of what form a container's log is. */
export interface LogForm {
  readonly hasTty: boolean;
  /** Whether time stamps are asked for. */
  readonly hasStamps: boolean;
}

/** The same range for an engine that leaves out its bounds, and reads a number as an inexact one but a date as it is. */
function aroundBounds({ since, until }: LogRange): LogRange {
  return {
    since: since === undefined ? undefined : shiftedDate(since, -1n),
    until: until === undefined ? undefined : shiftedDate(until, 1n),
  };
}

/** What reads a reply. Only one media type is proof; the others are sent for either form, or none is. */
export function logDecoderFor(reply: StreamReply, joiner: LineJoiner, form: LogForm): LogDecoder {
  const isFramed = reply.headers['content-type']?.includes('multiplexed-stream') === true;
  return form.hasTty && !isFramed
    ? new RawLogDecoder(joiner, { hasStamps: form.hasStamps })
    : new FramedLogDecoder(joiner);
}

/** The engine's own time, in seconds since the epoch; undefined where it does not tell. */
export function replyTime({ headers }: StreamReply): string | undefined {
  const milliseconds = Date.parse(headers['date'] ?? '');
  return Number.isNaN(milliseconds) ? undefined : String(milliseconds / 1000);
}
