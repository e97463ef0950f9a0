import { EngineError } from './errors.ts';

/** What bounds a stream of records. */
export interface RecordOptions {
  /** Bytes of one record. Default 16 MiB. */
  readonly limit?: number;
}

const DEFAULT_LIMIT = 16 * 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * Bytes into the texts of records, one on each line, whatever the chunk boundaries. Blank lines are skipped,
 * and so is the record separator that JSON text sequences begin each record with.
 */
export class RecordTexts {
  readonly #limit: number;
  /** The start of a record that goes on in the next chunk. */
  #parts: Uint8Array[] = [];
  #size = 0;

  constructor(options: RecordOptions = {}) {
    this.#limit = options.limit ?? DEFAULT_LIMIT;
  }

  /**
   * The records that `chunk` ends, without their line ends.
   *
   * @throws EngineError `tooLarge` for a record past the limit.
   */
  push(chunk: Uint8Array): readonly string[] {
    const texts: string[] = [];
    let from = 0;
    for (;;) {
      const newline = chunk.indexOf(NEWLINE, from);
      if (newline < 0) break;
      this.#keep(chunk.subarray(from, newline));
      texts.push(...this.#take());
      from = newline + 1;
    }
    this.#keep(chunk.subarray(from));
    return texts;
  }

  /** What stands behind the last line end: a last record without one, or half a record. */
  end(): readonly string[] {
    return this.#take();
  }

  #keep(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#size += bytes.length;
    if (this.#size > this.#limit) throw new EngineError('tooLarge');
    this.#parts.push(Uint8Array.prototype.slice.call(bytes));
  }

  #take(): readonly string[] {
    const text = Buffer.concat(this.#parts, this.#size).toString('utf8');
    this.#parts = [];
    this.#size = 0;
    // eslint-disable-next-line no-control-regex -- the separator is a control character
    const record = text.replace(/^\x1e/, '').trim();
    return record === '' ? [] : [record];
  }
}

/** Bytes into JSON values, one on each line. */
export class JsonRecords {
  readonly #texts: RecordTexts;

  constructor(options: RecordOptions = {}) {
    this.#texts = new RecordTexts(options);
  }

  /**
   * The records that `chunk` ends.
   *
   * @throws EngineError `badAnswer` for a line that is no JSON, `tooLarge` for a record past the limit.
   */
  push(chunk: Uint8Array): readonly unknown[] {
    return this.#texts.push(chunk).map((text) => parse(text, 'badAnswer'));
  }

  /**
   * The last record, where it has no line end. Call it when the stream has ended.
   *
   * @throws EngineError `cut` where only a part of it came.
   */
  end(): readonly unknown[] {
    return this.#texts.end().map((text) => parse(text, 'cut'));
  }
}

function parse(text: string, otherwise: 'badAnswer' | 'cut'): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new EngineError(otherwise, { cause });
  }
}
