import { countLines } from '../logs/text/visibleText.ts';

/**
 * The newest lines of a text. When the limits are exceeded, the oldest lines are dropped until three quarters
 * of the limits are used.
 */
export class ChannelText {
  readonly #limits: () => TextLimits;
  #chunks: Chunk[] = [];
  /** The text since the last chunk. */
  #tail = { text: '', lines: 0 };
  #lines = 0;
  #bytes = 0;
  #omittedLines = 0;

  /** @param limits called at each append, so that a change applies immediately. */
  constructor(limits: () => TextLimits) {
    this.#limits = limits;
  }

  /** The size of the kept text in UTF-8. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The number of lines dropped so far. */
  get omittedLines(): number {
    return this.#omittedLines;
  }

  /**
   * Appends complete lines, each with its line end. Always keeps the newest line, however long it is.
   *
   * @returns whether older lines were dropped.
   */
  append(text: string): boolean {
    this.#add(text);
    const { lines, bytes } = this.#limits();
    if (!this.#exceeds(lines, bytes)) return false;
    const before = this.#omittedLines;
    this.#trim(Math.floor(lines * KEPT_SHARE), Math.floor(bytes * KEPT_SHARE));
    return this.#omittedLines > before;
  }

  text(): string {
    return this.#chunks.map(({ bytes }) => bytes.toString()).join('') + this.#tail.text;
  }

  #add(text: string): void {
    const lines = countLines(text);
    this.#lines += lines;
    this.#bytes += Buffer.byteLength(text);
    this.#tail = { text: this.#tail.text + text, lines: this.#tail.lines + lines };
    if (this.#tail.text.length >= CHUNK_LENGTH) this.#pack();
  }

  #pack(): void {
    const { text, lines } = this.#tail;
    if (text === '') return;
    this.#chunks.push({ bytes: Buffer.from(text), lines });
    this.#tail = { text: '', lines: 0 };
  }

  #exceeds(lines: number, bytes: number): boolean {
    return this.#lines > 1 && (this.#lines > lines || this.#bytes > bytes);
  }

  #trim(lines: number, bytes: number): void {
    this.#pack();
    let whole = 0;
    for (let chunk = this.#chunks[0]; chunk && this.#exceeds(lines, bytes);) {
      const cut = this.#cut(chunk, lines, bytes);
      this.#lines -= cut.lines;
      this.#bytes -= cut.bytes.length;
      this.#omittedLines += cut.lines;
      if (cut.bytes.length < chunk.bytes.length) {
        // Copied, because a subarray would keep the memory of the whole chunk alive.
        const bytes = Buffer.from(chunk.bytes.subarray(cut.bytes.length));
        this.#chunks[whole] = { bytes, lines: chunk.lines - cut.lines };
        break;
      }
      chunk = this.#chunks[++whole];
    }
    this.#chunks.splice(0, whole);
  }

  /** Returns the lines to drop from the start of the chunk. */
  #cut(chunk: Chunk, maxLines: number, maxBytes: number): Chunk {
    const leftLines = this.#lines - chunk.lines;
    const leftBytes = this.#bytes - chunk.bytes.length;
    if (leftLines >= Math.max(1, maxLines) || (leftLines > 0 && leftBytes >= maxBytes))
      return chunk;
    let end = 0;
    let lines = 0;
    while (
      this.#lines - lines > 1 &&
      (this.#lines - lines > maxLines || this.#bytes - end > maxBytes)
    ) {
      end = chunk.bytes.indexOf(LINE_END, end) + 1;
      lines++;
    }
    return { bytes: chunk.bytes.subarray(0, end), lines };
  }
}

export interface TextLimits {
  readonly lines: number;
  /** In UTF-8, in which VS Code stores it. */
  readonly bytes: number;
}

/** A part of the text in UTF-8: compact, and outside the garbage-collected heap. */
interface Chunk {
  readonly bytes: Buffer;
  readonly lines: number;
}

const LINE_END = 0x0a;
/** Small pieces are packed into a chunk when they have this many characters. */
const CHUNK_LENGTH = 64 * 1024;
/** The share of the limits that is kept when they are exceeded, so that the text is not rewritten for each new line. */
const KEPT_SHARE = 3 / 4;
