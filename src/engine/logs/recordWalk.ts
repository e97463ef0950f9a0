/** Splits a stream of a log with time stamps into records, and holds back the last one. */
export class RecordWalk {
  readonly #isFramed: boolean;
  /** The last complete record, and the start of the next one. */
  #held = Buffer.alloc(0);
  /** Length of the complete record. */
  #whole = 0;
  #isPassing = false;
  /** Time stamp of the last complete record. */
  stamp = '';
  /** Number of consecutive records with that stamp. */
  run = 0;
  /** Called for each complete record, with a view that must not be kept. */
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

  /** Adds more bytes. Returns those before the last complete record. */
  push(chunk: Uint8Array): Uint8Array {
    if (this.#isPassing) return chunk;
    const bytes = Buffer.concat([this.#held, chunk]);
    let last = 0;
    let at = this.#whole;
    for (let end = this.#endOf(bytes, at); end > 0; end = this.#endOf(bytes, at)) {
      this.#visit(bytes.subarray(at, end));
      last = at;
      at = end;
    }
    if (bytes.length - last > RECORD_LIMIT) this.#isPassing = true;
    if (this.#isPassing) {
      last = bytes.length;
      at = bytes.length;
    }
    this.#held = bytes.subarray(last);
    this.#whole = at - last;
    return bytes.subarray(0, last);
  }

  #visit(record: Buffer): void {
    const from = this.#isFramed ? HEADER : 0;
    const blank = record.indexOf(BLANK, from);
    const stamp = record.toString('latin1', from, blank < 0 ? from : blank);
    this.run = stamp === this.stamp ? this.run + 1 : 1;
    this.stamp = stamp;
    this.onRecord?.(record);
  }

  /** Returns the end of the record at `at`; 0 if it is incomplete. */
  #endOf(bytes: Buffer, at: number): number {
    if (!this.#isFramed) return bytes.indexOf(NEWLINE, at) + 1;
    if (at + HEADER > bytes.length) return 0;
    const end = at + HEADER + bytes.readUInt32BE(at + 4);
    return end > bytes.length ? 0 : end;
  }
}

/** Limit in bytes, far above Podman's records. Longer data passes unchanged, so that it cannot fill the memory. */
const RECORD_LIMIT = 256 * 1024;
const NEWLINE = 0x0a;
const BLANK = 0x20;
/** Length of a frame's header in bytes. */
export const HEADER = 8;
