import { ByteStore } from './byteStore.ts';
import { EngineError, type RequestContext } from '../errors.ts';
import { ANSWER_LIMIT, parseJson } from './parseJson.ts';

/**
 * Parses a stream of JSON values, one per line, with any chunk boundaries. Skips blank lines and the record
 * separator at the start of a record of a JSON text sequence.
 */
export class JsonRecords {
  readonly #limit: number;
  readonly #where: RequestContext | undefined;
  /** The start of a record that continues in the next chunk. */
  readonly #kept = new ByteStore();

  /**
   * @param where the request, for error messages.
   * @param limit maximum size of a record in bytes.
   */
  constructor(where?: RequestContext, limit = ANSWER_LIMIT) {
    this.#where = where;
    this.#limit = limit;
  }

  /**
   * Returns the records that end in `chunk`.
   *
   * @throws EngineError `badAnswer` if a line is not JSON; `tooLarge` if a record exceeds the limit.
   */
  push(chunk: Uint8Array): readonly unknown[] {
    const records: unknown[] = [];
    let from = 0;
    for (;;) {
      const newline = chunk.indexOf(NEWLINE, from);
      if (newline < 0) break;
      this.#keep(chunk.subarray(from, newline));
      records.push(...this.#parseKept('badAnswer'));
      from = newline + 1;
    }
    this.#keep(chunk.subarray(from));
    return records;
  }

  /**
   * Returns the last record if it has no line end. Call it when the stream has ended.
   *
   * @throws EngineError `cut` if the record is incomplete.
   */
  end(): readonly unknown[] {
    return this.#parseKept('cut');
  }

  #keep(bytes: Uint8Array): void {
    if (this.#kept.size + bytes.length > this.#limit)
      throw new EngineError('tooLarge', this.#where);
    this.#kept.add(bytes);
  }

  #parseKept(otherwise: 'badAnswer' | 'cut'): readonly unknown[] {
    if (this.#kept.size === 0) return [];
    const text = this.#kept.drain().toString('utf8');
    // oxlint-disable-next-line no-control-regex -- the separator is a control character
    const record = text.replace(/^\x1e/, '').trim();
    try {
      return record === '' ? [] : [parseJson(record, this.#where)];
    } catch (cause) {
      if (cause instanceof EngineError) throw cause;
      throw new EngineError(otherwise, { ...this.#where, cause });
    }
  }
}

const NEWLINE = 0x0a;
