import { RecordWalk } from './recordWalk.ts';

/**
 * Detects in a followed log of Podman that a record may be lost or cut. Podman follows the log file without waiting for
 * the end of a line: what it reads of an incomplete record becomes a record, for example an empty line, and the rest is
 * discarded, with whatever was written by then. If even the time stamp is incomplete, nothing of the record is sent.
 *
 * The log file is written in several steps only if the container wrote many lines at once. Such lines have the same
 * stamp, and the first {@link WRITTEN_AT_ONCE} of them are written in one step.
 */
export class BurstDetector {
  readonly #records: RecordWalk;
  #hasBurst = false;

  /** @param received number of received records by stamp, which the log may repeat. */
  constructor(isFramed: boolean, received: ReadonlyMap<string, number>) {
    const records = new RecordWalk(isFramed);
    records.onRecord = () => {
      const { stamp, run } = records;
      const isNew = run > (received.get(stamp) ?? 0);
      if (stamp !== '' && isNew && run > WRITTEN_AT_ONCE) this.#hasBurst = true;
    };
    this.#records = records;
  }

  /** Returns whether there was a burst up to the end of `chunk`. */
  push(chunk: Uint8Array): boolean {
    if (!this.#hasBurst) this.#records.push(chunk);
    return this.#hasBurst;
  }
}

/** conmon writes 128 buffers in one step; a record takes three of them. */
export const WRITTEN_AT_ONCE = 42;
