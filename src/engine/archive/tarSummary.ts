import { EngineError, type RequestContext } from '../errors.ts';
import type { TarRules } from './tarRules.ts';
import { TarValidator, type TarHeader } from './tarValidator.ts';

export class TarSummary {
  readonly #validator: TarValidator;
  #entries = 0;
  #bytes = 0;
  #unsafe: string | undefined;
  #root: TarHeader | undefined;
  readonly #rules: TarRules | undefined;

  /** @param rules checks each entry, too. */
  constructor(rules?: TarRules) {
    this.#rules = rules;
    this.#validator = new TarValidator((header) => this.#add(header));
  }

  /** The number of files, folders and others, without the folder that has them. */
  get entries(): number {
    return this.#entries;
  }

  /** The size of all files. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The first name that leads out of the folder, if any. */
  get unsafe(): string | undefined {
    return this.#unsafe;
  }

  /** The header of the folder that has all entries, if the tar has one. */
  get root(): TarHeader | undefined {
    return this.#root;
  }

  /** Whether the end of a tar was read, whatever follows it. */
  get hasEnd(): boolean {
    return this.#validator.hasEnd;
  }

  /** Whether the bytes so far are a complete tar. */
  get isWhole(): boolean {
    return this.#validator.end === 'whole';
  }

  push(chunk: Uint8Array): void {
    this.#validator.push(chunk);
  }

  #add(header: TarHeader): void {
    const { name, size } = header;
    this.#rules?.check(header);
    if (/^(?:\.\/?|\/)$/.test(name)) {
      this.#root = header;
      return;
    }
    this.#entries++;
    this.#bytes += size;
    if (name.startsWith('/') || name.split('/').includes('..')) this.#unsafe ??= name;
  }
}

/**
 * Yields the chunks of a tar and adds them to a summary.
 *
 * @throws EngineError `cut` if the tar is incomplete; errors of the source.
 */
export async function* summarized(
  source: AsyncIterable<Uint8Array>,
  summary: TarSummary,
  where: RequestContext,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    summary.push(chunk);
    yield chunk;
  }
  if (!summary.isWhole) throw new EngineError('cut', where);
}
