/**
 * The newest lines of a text. Once there are more than the limits allow, the oldest are left out until three
 * quarters of the limits are filled; below the limits nothing is.
 */
export class ChannelText {
  readonly #limits: () => TextLimits;
  #chunks: Chunk[] = [];
  /** What has come since the last chunk. */
  #tail = { text: '', lines: 0 };
  #lines = 0;
  #bytes = 0;
  #omittedLines = 0;

  /** @param limits asked at each append, so that a change of them holds at once */
  constructor(limits: () => TextLimits) {
    this.#limits = limits;
  }

  /** How long what is kept is, in UTF-8. */
  get bytes(): number {
    return this.#bytes;
  }

  /** How many lines were left out so far. */
  get omittedLines(): number {
    return this.#omittedLines;
  }

  /**
   * Takes whole lines, each with its line end. The newest line is kept whole, however long it is.
   *
   * @returns whether lines were left out for them
   */
  append(text: string): boolean {
    this.#add(text);
    const { lines, bytes } = this.#limits();
    if (!this.#exceeds(lines, bytes)) return false;
    const before = this.#omittedLines;
    this.#trim(Math.floor(lines * KEPT_SHARE), Math.floor(bytes * KEPT_SHARE));
    return this.#omittedLines > before;
  }

  /** All that is kept. */
  text(): string {
    return this.#chunks.map(({ bytes }) => bytes.toString()).join('') + this.#tail.text;
  }

  #add(text: string): void {
    const lines = lineEnds(text);
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
      this.#leave(cut);
      if (cut.bytes.length < chunk.bytes.length) {
        this.#chunks[whole] = rest(chunk, cut);
        break;
      }
      chunk = this.#chunks[++whole];
    }
    this.#chunks.splice(0, whole);
  }

  /** The chunk's lines that are to go, from its start. */
  #cut(chunk: Chunk, maxLines: number, maxBytes: number): Chunk {
    const leftLines = this.#lines - chunk.lines;
    const leftBytes = this.#bytes - chunk.bytes.length;
    if (leftLines >= Math.max(1, maxLines) || (leftLines > 0 && leftBytes >= maxBytes))
      return chunk;
    let [end, lines] = [0, 0];
    while (
      this.#lines - lines > 1 &&
      (this.#lines - lines > maxLines || this.#bytes - end > maxBytes)
    ) {
      end = chunk.bytes.indexOf(LINE_END, end) + 1;
      lines++;
    }
    return { bytes: chunk.bytes.subarray(0, end), lines };
  }

  #leave({ bytes, lines }: Chunk): void {
    this.#lines -= lines;
    this.#bytes -= bytes.length;
    this.#omittedLines += lines;
  }
}

/** How much text a channel holds at most. */
export interface TextLimits {
  readonly lines: number;
  /** In UTF-8, which is how the editor stores it. */
  readonly bytes: number;
}

/** Some of the text, in UTF-8: packed, and outside the garbage collector's heap. */
interface Chunk {
  readonly bytes: Buffer;
  readonly lines: number;
}

const LINE_END = 0x0a;
/** What comes in small pieces is packed once there are so many characters of it. */
const CHUNK_LENGTH = 64 * 1024;
/** Of the limits, what is kept when they are exceeded: for each line that comes, only some are written anew. */
const KEPT_SHARE = 3 / 4;

/** A copy, for a part would hold the memory of the whole. */
function rest(chunk: Chunk, cut: Chunk): Chunk {
  return {
    bytes: Buffer.from(chunk.bytes.subarray(cut.bytes.length)),
    lines: chunk.lines - cut.lines,
  };
}

function lineEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
