import { ByteStore } from './logs/byteStore.ts';
import { EngineError, type RequestContext } from './errors.ts';
import { ANSWER_LIMIT, parseJson } from './parseJson.ts';

/** Bytes into JSON values, one on each line. */
export class JsonRecords {
  readonly #texts: RecordTexts;
  readonly #where: RequestContext | undefined;

  constructor(options: RecordOptions = {}) {
    this.#texts = new RecordTexts(options);
    this.#where = options.where;
  }

  /**
   * The records that `chunk` ends.
   *
   * @throws EngineError `badAnswer` for a line that is no JSON, `tooLarge` for a record past the limit.
   */
  push(chunk: Uint8Array): readonly unknown[] {
    return this.#texts.push(chunk).map((text) => parse(text, 'badAnswer', this.#where));
  }

  /**
   * The last record, where it has no line end. Call it when the stream has ended.
   *
   * @throws EngineError `cut` where only a part of it came.
   */
  end(): readonly unknown[] {
    return this.#texts.end().map((text) => parse(text, 'cut', this.#where));
  }
}

/** What bounds a stream of records. */
export interface RecordOptions {
  /** Bytes of one record. Default 16 MiB. */
  readonly limit?: number;
  /** Whose stream, for error texts. */
  readonly where?: RequestContext;
}

const NEWLINE = 0x0a;

/**
 * Bytes into the texts of records, one on each line, whatever the chunk boundaries. Blank lines are skipped,
 * and so is the record separator that JSON text sequences begin each record with.
 */
export class RecordTexts {
  readonly #limit: number;
  readonly #where: RequestContext | undefined;
  /** The start of a record that goes on in the next chunk. */
  readonly #kept = new ByteStore();

  constructor(options: RecordOptions = {}) {
    this.#limit = options.limit ?? ANSWER_LIMIT;
    this.#where = options.where;
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
    if (this.#kept.size + bytes.length > this.#limit) {
      throw new EngineError('tooLarge', this.#where);
    }
    this.#kept.add(bytes);
  }

  #take(): readonly string[] {
    if (this.#kept.size === 0) return [];
    const text = this.#kept.take().toString('utf8');
    // eslint-disable-next-line no-control-regex -- the separator is a control character
    const record = text.replace(/^\x1e/, '').trim();
    return record === '' ? [] : [record];
  }
}

function parse(
  text: string,
  otherwise: 'badAnswer' | 'cut',
  where: RequestContext | undefined,
): unknown {
  try {
    return parseJson(text, where);
  } catch (cause) {
    if (cause instanceof EngineError) throw cause;
    throw new EngineError(otherwise, { ...where, cause });
  }
}
