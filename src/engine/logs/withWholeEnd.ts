import { failedWith } from '../errors.ts';
import { stampAsSince } from './logStamps.ts';

/**
 * Gives the bytes of a log as they come, the last record whole. Podman (4.3) reads to the end of its file while
 * the last record is being written there, and ends what it has so far of it like a whole one. So the last record is
 * read again until it is the same twice or another one follows it.
 *
 * @param body records with time stamps, of a log that is read from a moment on and not followed.
 * @param isFramed whether each record has a header; else it is a line.
 * @throws what `body` and `readFrom` throw.
 */
export async function* withWholeEnd(
  body: AsyncIterable<Uint8Array>,
  isFramed: boolean,
  readFrom: ReadFrom,
): AsyncGenerator<Uint8Array> {
  const records = new RecordWalk(isFramed);
  for await (const chunk of body) {
    const before = records.push(chunk);
    if (before.length > 0) yield before;
  }
  const { held, isWhole, stamp } = records;
  const since = stampAsSince(stamp);
  // What is no whole record is for the decoder to judge.
  if (isWhole && since !== '') yield await readTwice(records, isFramed, () => readFrom(since));
  else if (held.length > 0) yield held;
}

/** Asks for the log since a moment (`seconds.nanoseconds`, inclusive), without following it. */
export type ReadFrom = (since: string) => Promise<AsyncIterable<Uint8Array>>;

/** The last record as it is once it is the same twice, or is followed by another one. */
async function readTwice(
  { held, stamp, run }: RecordWalk,
  isFramed: boolean,
  read: () => Promise<AsyncIterable<Uint8Array>>,
): Promise<Buffer> {
  let last = held;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const wanted = { stamp, run, begins: textOf(last, isFramed) };
    const again = await recordAgain(read, isFramed, wanted).catch((error: unknown) => {
      // A container that is being removed has no log any more.
      if (failedWith(error, 'notFound', 'conflict')) return undefined;
      throw error;
    });
    // The engine has discarded it by now.
    if (!again) return last;
    if (again.hasNext || again.record.equals(last)) return again.record;
    last = again.record;
  }
  return last;
}

/** The first record that begins like this, with this stamp and so many of the same stamp before it. */
async function recordAgain(
  read: () => Promise<AsyncIterable<Uint8Array>>,
  isFramed: boolean,
  { stamp, run, begins }: Wanted,
): Promise<{ readonly record: Buffer; readonly hasNext: boolean } | undefined> {
  const records = new RecordWalk(isFramed);
  /** That record, and those behind it. */
  const found: Buffer[] = [];
  records.onRecord = (record) => {
    // The same stamp may come twice if the clock was set back.
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

/** A record's stamp and text, without the end of the line. */
function textOf(record: Buffer, isFramed: boolean): Buffer {
  const end = record.at(-1) === NEWLINE ? record.length - 1 : record.length;
  return record.subarray(isFramed ? HEADER : 0, end);
}

/** A record is written in far less time than one request takes. */
const MOST_TRIES = 5;
/** No record of Podman's is nearly as long. What is longer goes by as it is: nothing may fill the memory. */
const RECORD_LIMIT = 256 * 1024;
const HEADER = 8;
const [NEWLINE, BLANK] = [0x0a, 0x20];

/** Walks through records, and holds the last one back. */
class RecordWalk {
  readonly #isFramed: boolean;
  /** The last whole record, and the beginning of the next one. */
  #held = Buffer.alloc(0);
  /** How much of that is the whole record. */
  #whole = 0;
  #isPassing = false;
  /** The time stamp of the last whole record. */
  stamp = '';
  /** How many records in a row have it. */
  run = 0;
  /** Called for each whole record, as a view that is not to be kept. */
  onRecord: ((record: Buffer) => void) | undefined;

  constructor(isFramed: boolean) {
    this.#isFramed = isFramed;
  }

  get held(): Buffer {
    return this.#held;
  }

  get isWhole(): boolean {
    return this.#whole > 0 && this.#whole === this.#held.length;
  }

  /** Takes more bytes; returns those before the last whole record. */
  push(chunk: Uint8Array): Uint8Array {
    if (this.#isPassing) return chunk;
    const bytes = Buffer.concat([this.#held, chunk]);
    let [last, at] = [0, this.#whole];
    for (let end = this.#endOf(bytes, at); end > 0; end = this.#endOf(bytes, at)) {
      this.#note(bytes.subarray(at, end));
      [last, at] = [at, end];
    }
    if (bytes.length - last > RECORD_LIMIT) this.#isPassing = true;
    if (this.#isPassing) [last, at] = [bytes.length, bytes.length];
    this.#held = bytes.subarray(last);
    this.#whole = at - last;
    return bytes.subarray(0, last);
  }

  #note(record: Buffer): void {
    const from = this.#isFramed ? HEADER : 0;
    const blank = record.indexOf(BLANK, from);
    const stamp = record.toString('latin1', from, blank < 0 ? from : blank);
    this.run = stamp === this.stamp ? this.run + 1 : 1;
    this.stamp = stamp;
    this.onRecord?.(record);
  }

  /** Where the record that begins at `at` ends; 0 if it is not whole. */
  #endOf(bytes: Buffer, at: number): number {
    if (!this.#isFramed) return bytes.indexOf(NEWLINE, at) + 1;
    if (at + HEADER > bytes.length) return 0;
    const end = at + HEADER + bytes.readUInt32BE(at + 4);
    return end > bytes.length ? 0 : end;
  }
}
