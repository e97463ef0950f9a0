import { capabilitiesOf } from '../capabilities/capabilities.ts';
import type { Connection } from '../http/connection.ts';
import { failedWith } from '../errors.ts';
import { containerPath } from '../wire/wire.ts';
import type { LineJoiner } from './lineJoiner.ts';
import { FramedLogDecoder } from './framedLogDecoder.ts';
import { shiftedDate } from './logStamps.ts';
import { RawLogDecoder, type LogDecoder } from './rawLogDecoder.ts';
import { withWholeEnd, type Pause } from './withWholeEnd.ts';
import { delay } from '../../base/time.ts';
import { WRITTEN_AT_ONCE } from './burstDetector.ts';
import type { StreamReply } from '../http/engineRequest.ts';

/** Requests a part of a log: `GET /containers/{id}/logs`. @throws EngineError as `Connection.stream`. */
export async function requestLogs(
  connection: Connection,
  id: string,
  wanted: LogQuery,
  signal: AbortSignal,
): Promise<StreamReply> {
  const can = capabilitiesOf(await connection.info(signal));
  const path = containerPath(id, 'logs');
  const ask = ({ follow, hasStamps, tail, ...range }: LogQuery): Promise<StreamReply> => {
    const { until, since } = can.includesLogBounds ? range : aroundBounds(range);
    const bounds = { until, since, tail };
    const query = { stdout: true, stderr: true, follow, timestamps: hasStamps, ...bounds };
    return connection.stream({ method: 'GET', path, query, signal });
  };
  const canRetry = !can.readsLastRecordWhole && typeof wanted.tail === 'number';
  const reply = await (canRetry ? answered(() => ask(wanted), signal) : ask(wanted));
  if (can.readsLastRecordWhole || !endsNow(wanted)) return reply;
  const again = async (since: string): Promise<AsyncIterable<Uint8Array>> =>
    (await ask({ ...wanted, since, tail: undefined })).body;
  const pause: Pause = async (at, run) => {
    const age = Math.abs(Number(replyTime(reply)) - Number(at));
    if (run > WRITTEN_AT_ONCE && age < YOUNG_SECONDS) await delay(BURST_MS, signal);
  };
  return { ...reply, body: withWholeEnd(reply.body, isFramed(reply, wanted), again, pause) };
}

/** The writer of a burst can be interrupted between two steps. In milliseconds. */
const BURST_MS = 250;
/** Age of a record that may still be incomplete; the engine's time is in whole seconds. */
const YOUNG_SECONDS = 2;

/**
 * Requests the end of a log again if the engine refuses it. Podman does so if the time stamp of the last record
 * is not completely written.
 */
async function answered(
  ask: () => Promise<StreamReply>,
  signal: AbortSignal,
): Promise<StreamReply> {
  for (let tries = 1; ; tries++)
    try {
      return await ask();
    } catch (error) {
      if (!failedWith(error, 'failed') || tries === MOST_TRIES) throw error;
      await delay(RETRY_MS, signal);
    }
}

/** The writer of a record can be interrupted, but not for long. In milliseconds. */
const RETRY_MS = 50;
const MOST_TRIES = 5;

/** Whether the last record may be incomplete because it is being written, and can be found again by its stamp. */
function endsNow({ follow, until, tail = 'all', hasStamps }: LogQuery): boolean {
  return !follow && until === undefined && tail === 'all' && hasStamps;
}

/** The part of the log to request, and its format. */
type LogQuery = LogRange & LogForm & { readonly follow: boolean };

/** Range of a log request: inclusive times in `seconds[.nanoseconds]`, and the number of records from the end. */
export interface LogRange {
  readonly since?: string;
  readonly until?: string;
  readonly tail?: number | 'all';
}

/** Format of a container's log. */
export interface LogForm {
  readonly hasTty: boolean;
  /** Whether time stamps are requested. */
  readonly hasStamps: boolean;
}

/**
 * Converts the range for an engine with exclusive bounds, which parses dates exactly, but numbers as floating point.
 */
function aroundBounds({ since, until }: LogRange): LogRange {
  return {
    since: since === undefined ? undefined : shiftedDate(since, -1n),
    until: until === undefined ? undefined : shiftedDate(until, 1n),
  };
}

/**
 * Returns the decoder of a response. Only the media type of multiplexed streams is reliable; others are sent for
 * both formats, or none is sent.
 */
export function logDecoderFor(reply: StreamReply, joiner: LineJoiner, form: LogForm): LogDecoder {
  return isFramed(reply, form)
    ? new FramedLogDecoder(joiner)
    : new RawLogDecoder(joiner, { hasStamps: form.hasStamps });
}

/** Whether each record of a response is a frame; otherwise it is a line. */
export function isFramed({ headers }: StreamReply, { hasTty }: Pick<LogForm, 'hasTty'>): boolean {
  return !hasTty || headers['content-type']?.includes('multiplexed-stream') === true;
}

/** The engine's time in seconds since 1970; undefined if it is not sent. */
export function replyTime({ headers }: StreamReply): string | undefined {
  const milliseconds = Date.parse(headers['date'] ?? '');
  return Number.isNaN(milliseconds) ? undefined : String(milliseconds / 1000);
}
