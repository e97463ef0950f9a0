import { capabilitiesOf } from '../capabilities.ts';
import type { Connection } from '../http/connection.ts';
import { containerPath } from '../containers/containers.ts';
import type { LineJoiner } from './lineJoiner.ts';
import { FramedLogDecoder, type LogDecoder } from './framedLogDecoder.ts';
import { shiftedDate } from './logStamps.ts';
import { RawLogDecoder } from './rawLogDecoder.ts';
import { withWholeEnd } from './withWholeEnd.ts';
import type { StreamReply } from '../http/engineRequest.ts';

/** Asks for a part of a log. @throws EngineError as `Connection.stream`. */
export async function requestLogs(
  connection: Connection,
  id: string,
  query: LogQuery,
  signal: AbortSignal,
): Promise<StreamReply> {
  const can = capabilitiesOf(await connection.info(signal));
  const ask = ({ follow, hasStamps, tail, ...range }: LogQuery): Promise<StreamReply> => {
    const { until, since } = can.includesLogBounds ? range : aroundBounds(range);
    const timestamps = hasStamps;
    const wanted = { stdout: true, stderr: true, follow, timestamps, until, since, tail };
    return connection.stream({
      method: 'GET',
      path: containerPath(id, 'logs'),
      query: wanted,
      signal,
    });
  };
  const reply = await ask(query);
  if (can.readsLastRecordWhole || !endsNow(query)) return reply;
  const again = async (since: string): Promise<AsyncIterable<Uint8Array>> =>
    (await ask({ ...query, since, tail: undefined })).body;
  return { ...reply, body: withWholeEnd(reply.body, isFramed(reply, query), again) };
}

/** Whether the last record may be one that is being written, and can be found again by its stamp. */
function endsNow({ follow, until, tail = 'all', hasStamps }: LogQuery): boolean {
  return !follow && until === undefined && tail === 'all' && hasStamps;
}

/** What of which log to ask for. */
type LogQuery = LogRange & LogForm & { readonly follow: boolean };

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
  return isFramed(reply, form)
    ? new FramedLogDecoder(joiner)
    : new RawLogDecoder(joiner, { hasStamps: form.hasStamps });
}

function isFramed({ headers }: StreamReply, { hasTty }: LogForm): boolean {
  return !hasTty || headers['content-type']?.includes('multiplexed-stream') === true;
}

/** The engine's own time, in seconds since the epoch; undefined where it does not tell. */
export function replyTime({ headers }: StreamReply): string | undefined {
  const milliseconds = Date.parse(headers['date'] ?? '');
  return Number.isNaN(milliseconds) ? undefined : String(milliseconds / 1000);
}
