import { failedWith } from '../errors.ts';
import { stampAsSince } from './logStamps.ts';
import { HEADER, RecordWalk } from './recordWalk.ts';

/**
 * Yields the bytes of a log with a complete last record. Podman (4.3) reads to the end of its log file while the
 * last record is being written, and sends an incomplete record like a complete one. So the last record is read
 * again until it is the same twice, or another one follows it.
 *
 * @param body records with time stamps, of a log that is read from a given time and not followed.
 * @param isFramed whether each record is a frame; otherwise it is a line.
 * @param pause default: the last record is read again immediately.
 * @throws errors of `body` and `readFrom`.
 */
export async function* withWholeEnd(
  body: AsyncIterable<Uint8Array>,
  isFramed: boolean,
  readFrom: ReadFrom,
  pause: Pause = () => Promise.resolve(),
): AsyncGenerator<Uint8Array> {
  const records = new RecordWalk(isFramed);
  for await (const chunk of body) {
    const before = records.push(chunk);
    if (before.length > 0) yield before;
  }
  const { held, isWhole, stamp, run } = records;
  const since = stampAsSince(stamp);
  // An incomplete record is left to the decoder.
  if (isWhole && since !== '') {
    yield await readTwice(records, isFramed, async () => {
      await pause(since, run);
      return readFrom(since);
    });
  } else if (held.length > 0) yield held;
}

/** Requests the log since a time (`seconds.nanoseconds`, inclusive), without following it. */
type ReadFrom = (since: string) => Promise<AsyncIterable<Uint8Array>>;

/** Waits before the last record is read again. Gets its time and the number of consecutive records with it. */
export type Pause = (at: string, run: number) => Promise<void>;

/** Returns the last record once it is the same twice, or followed by another one. */
async function readTwice(
  { held, stamp, run }: RecordWalk,
  isFramed: boolean,
  read: () => Promise<AsyncIterable<Uint8Array>>,
): Promise<Buffer> {
  let last = held;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const wanted = { stamp, run, begins: textOf(last, isFramed) };
    const again = await recordAgain(read, isFramed, wanted).catch((error: unknown) => {
      // The log is gone if the container is being removed.
      if (failedWith(error, 'notFound', 'conflict')) return undefined;
      throw error;
    });
    // The engine has discarded the record in the meantime.
    if (!again) return last;
    if (again.hasNext || again.record.equals(last)) return again.record;
    last = again.record;
  }
  return last;
}

/** Finds the first record with this stamp and beginning, and with as many records of the same stamp before it. */
async function recordAgain(
  read: () => Promise<AsyncIterable<Uint8Array>>,
  isFramed: boolean,
  { stamp, run, begins }: Wanted,
): Promise<{ readonly record: Buffer; readonly hasNext: boolean } | undefined> {
  const records = new RecordWalk(isFramed);
  /** The wanted record, and the ones after it. */
  const found: Buffer[] = [];
  records.onRecord = (record) => {
    // The same stamp can occur again if the clock was set back.
    const isIt = records.stamp === stamp && records.run === run && record.includes(begins);
    if (isIt || found.length > 0) found.push(Buffer.from(record));
  };
  for await (const chunk of await read()) {
    records.push(chunk);
    if (found.length > 1) break;
  }
  const [record, next] = found;
  return record && { record, hasNext: next !== undefined };
}

interface Wanted {
  readonly stamp: string;
  readonly run: number;
  readonly begins: Buffer;
}

/** Returns a record's stamp and text, without the line feed. */
function textOf(record: Buffer, isFramed: boolean): Buffer {
  const end = record.at(-1) === NEWLINE ? record.length - 1 : record.length;
  return record.subarray(isFramed ? HEADER : 0, end);
}

/** Writing a record takes far less time than one request. */
const MOST_TRIES = 5;
const NEWLINE = 0x0a;
